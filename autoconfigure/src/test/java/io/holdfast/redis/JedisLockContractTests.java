package io.holdfast.redis;

import io.holdfast.engine.AbstractLockContractTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, on one Redis with Jedis.
 */
class JedisLockContractTests extends AbstractLockContractTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	@Override
	protected LockStores stores() {
		return stores;
	}

}
