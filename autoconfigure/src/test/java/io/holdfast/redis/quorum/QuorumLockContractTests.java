package io.holdfast.redis.quorum;

import io.holdfast.engine.AbstractLockContractTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, with three masters.
 */
@Tag("any-jdk")
class QuorumLockContractTests extends AbstractLockContractTests {

	@RegisterExtension
	static final LockStores stores = QuorumServers.sure(3);

	@Override
	protected LockStores stores() {
		return stores;
	}

}
