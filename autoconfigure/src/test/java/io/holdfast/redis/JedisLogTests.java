package io.holdfast.redis;

import io.holdfast.engine.AbstractLogTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What is written to the log about locks on one Redis, with Jedis.
 */
@Tag("any-jdk")
@Tag("slow")
class JedisLogTests extends AbstractLogTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

}
