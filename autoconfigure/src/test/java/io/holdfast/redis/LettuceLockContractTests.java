package io.holdfast.redis;

import io.holdfast.engine.AbstractContractTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, and what operators see, on one Redis with Lettuce.
 */
@Tag("any-jdk")
@Tag("slow")
class LettuceLockContractTests extends AbstractContractTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.lettuce();

}
