package io.holdfast.redis.quorum;

import io.holdfast.diagnostics.AbstractDeadlockTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Deadlocks of owners of locks on three masters.
 */
@Tag("any-jdk")
class QuorumDeadlockTests extends AbstractDeadlockTests {

	@RegisterExtension
	static final LockStores stores = QuorumServers.sure(3);

	@Override
	protected LockStores stores() {
		return stores;
	}

}
