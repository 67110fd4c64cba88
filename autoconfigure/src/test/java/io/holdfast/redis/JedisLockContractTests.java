package io.holdfast.redis;

import io.holdfast.engine.AbstractLockFamilyTests;
import io.holdfast.engine.AbstractWholeContractTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, and what operators see, on one Redis with Jedis.
 */
class JedisLockContractTests extends AbstractWholeContractTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	@Nested
	@Tag("slow")
	@Tag("depends-on-jdk")
	class Kinds extends AbstractLockFamilyTests {

	}

}
