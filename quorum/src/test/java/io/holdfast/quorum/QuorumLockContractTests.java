package io.holdfast.quorum;

import io.holdfast.engine.AbstractKindsOfLocksTests;
import io.holdfast.engine.AbstractWholeContractTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, and what operators see, with three masters.
 */
@Tag("any-jdk")
@Tag("slow")
class QuorumLockContractTests extends AbstractWholeContractTests {

	@RegisterExtension
	static final LockStores stores = QuorumServers.sure(3);

	@Nested
	class KindsOfLocksByLettuce extends AbstractKindsOfLocksTests {

		@RegisterExtension
		static final LockStores stores = QuorumServers.sureByLettuce(3);

	}

}
