package io.holdfast.redis;

import io.holdfast.engine.AbstractLockFaultTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Faults on the way to one Redis.
 */
class RedisLockFaultTests extends AbstractLockFaultTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	@Override
	protected LockStores stores() {
		return stores;
	}

}
