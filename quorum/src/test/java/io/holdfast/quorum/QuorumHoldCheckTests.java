package io.holdfast.quorum;

import io.holdfast.engine.AbstractHoldCheckTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Whether a thread still holds locks on three masters.
 */
@Tag("any-jdk")
@Tag("slow")
class QuorumHoldCheckTests extends AbstractHoldCheckTests {

	@RegisterExtension
	static final LockStores stores = QuorumServers.sure(3);

}
