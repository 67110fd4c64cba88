package io.holdfast.redis;

import io.holdfast.engine.AbstractStoreViewTests;
import io.holdfast.engine.LockStores;
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
