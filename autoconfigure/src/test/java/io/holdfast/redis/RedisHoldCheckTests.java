package io.holdfast.redis;

import io.holdfast.engine.AbstractHoldCheckTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Whether a thread still holds locks on one Redis.
 */
@Tag("any-jdk")
class RedisHoldCheckTests extends AbstractHoldCheckTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

}
