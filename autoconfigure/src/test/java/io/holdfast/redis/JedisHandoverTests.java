package io.holdfast.redis;

import io.holdfast.engine.AbstractHandoverTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Hand-overs on one Redis, with Jedis.
 */
@Tag("slow")
class JedisHandoverTests extends AbstractHandoverTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

}
