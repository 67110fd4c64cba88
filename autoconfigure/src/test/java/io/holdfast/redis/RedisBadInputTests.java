package io.holdfast.redis;

import io.holdfast.engine.AbstractBadInputTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Times and keys that cannot be, with locks on Redis.
 */
class RedisBadInputTests extends AbstractBadInputTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

}
