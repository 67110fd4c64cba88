package io.holdfast.redis;

import io.holdfast.diagnostics.AbstractDeadlockTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Deadlocks of owners of locks on one Redis, with Jedis.
 */
@Tag("any-jdk")
@Tag("slow")
class JedisDeadlockTests extends AbstractDeadlockTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

}
