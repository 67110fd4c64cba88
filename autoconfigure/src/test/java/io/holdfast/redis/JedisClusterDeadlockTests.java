package io.holdfast.redis;

import io.holdfast.engine.AbstractDeadlockTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Deadlocks of owners of locks on a Cluster.
 */
class JedisClusterDeadlockTests extends AbstractDeadlockTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedisCluster();

	@Override
	protected LockStores stores() {
		return stores;
	}

}
