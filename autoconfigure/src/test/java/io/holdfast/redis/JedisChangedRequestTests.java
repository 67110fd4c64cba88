package io.holdfast.redis;

import io.holdfast.engine.AbstractChangedRequestTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Changed requests on one Redis.
 */
@Tag("slow")
class JedisChangedRequestTests extends AbstractChangedRequestTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

}
