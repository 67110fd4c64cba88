package io.holdfast.redis;

import io.holdfast.engine.AbstractHoldCheckTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Whether a thread still holds locks on one Redis.
 */
class RedisHoldCheckTests extends AbstractHoldCheckTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	@Override
	protected LockStores stores() {
		return stores;
	}

}
