package io.holdfast.redis;

import io.holdfast.engine.AbstractStoreViewTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What operators see of locks on one Redis, with Lettuce.
 */
@Tag("any-jdk")
@Tag("slow")
class LettuceStoreViewTests extends AbstractStoreViewTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.lettuce();

}
