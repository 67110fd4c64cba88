package io.holdfast.redis;

import io.holdfast.engine.AbstractMinHoldFaultTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Faults on the way to one Redis, while locks are to be kept.
 */
@Tag("any-jdk")
@Tag("slow")
class RedisMinHoldFaultTests extends AbstractMinHoldFaultTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

}
