package io.holdfast.redis;

import io.holdfast.engine.AbstractLockContractTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, on one Redis with Lettuce.
 */
@Tag("any-jdk")
class LettuceLockContractTests extends AbstractLockContractTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.lettuce();

	@Override
	protected LockStores stores() {
		return stores;
	}

}
