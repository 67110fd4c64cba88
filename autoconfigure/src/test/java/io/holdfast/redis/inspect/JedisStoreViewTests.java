package io.holdfast.redis.inspect;

import io.holdfast.engine.AbstractStoreViewTests;
import io.holdfast.engine.LockStores;
import io.holdfast.redis.RedisStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What operators see of locks on one Redis, with Jedis.
 */
@Tag("any-jdk")
class JedisStoreViewTests extends AbstractStoreViewTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

}
