package io.holdfast.redis;

import io.holdfast.engine.AbstractRetentionTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Locks that are retained on one Redis, with Jedis.
 */
class JedisRetentionTests extends AbstractRetentionTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

}
