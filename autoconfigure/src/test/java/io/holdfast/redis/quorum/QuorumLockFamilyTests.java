package io.holdfast.redis.quorum;

import io.holdfast.engine.AbstractLockFamilyTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Shared and fair locks and several keys, with three masters.
 */
@Tag("any-jdk")
class QuorumLockFamilyTests extends AbstractLockFamilyTests {

	@RegisterExtension
	static final LockStores stores = QuorumServers.sure(3);

	@Override
	protected LockStores stores() {
		return stores;
	}

	@Override
	public int keysAtOnce() {
		return 100;
	}

}
