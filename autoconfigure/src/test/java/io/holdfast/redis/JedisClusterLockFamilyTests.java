package io.holdfast.redis;

import io.holdfast.engine.AbstractKindsOfLocksTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Shared and fair locks and several keys, in slots of a Cluster that are most likely
 * different, with Jedis.
 */
@Tag("any-jdk")
@Tag("slow")
class JedisClusterLockFamilyTests extends AbstractKindsOfLocksTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedisCluster();

	@Override
	public int keysAtOnce() {
		return 100;
	}

}
