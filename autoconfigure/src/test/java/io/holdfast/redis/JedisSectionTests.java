package io.holdfast.redis;

import io.holdfast.engine.AbstractSectionTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Sections under one grant on one Redis, with Jedis.
 */
@Tag("slow")
class JedisSectionTests extends AbstractSectionTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

}
