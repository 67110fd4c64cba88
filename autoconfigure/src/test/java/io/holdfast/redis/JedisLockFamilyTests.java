package io.holdfast.redis;

import io.holdfast.engine.AbstractLockFamilyTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Shared and fair locks and several keys, on one Redis with Jedis.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class JedisLockFamilyTests extends AbstractLockFamilyTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

}
