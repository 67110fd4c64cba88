package io.holdfast.redis;

import io.holdfast.engine.AbstractHoldCheckTests;
import io.holdfast.engine.AbstractLeaseContractTests;
import io.holdfast.engine.AbstractLockContractTests;
import io.holdfast.engine.AbstractShutdownContractTests;
import io.holdfast.engine.AbstractStoreViewTests;
import io.holdfast.engine.AbstractWaitContractTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, and what operators see, on one Redis with Jedis.
 */
class JedisLockContractTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	@Nested
	class Locks extends AbstractLockContractTests {

	}

	@Nested
	class Waits extends AbstractWaitContractTests {

	}

	@Nested
	class Leases extends AbstractLeaseContractTests {

	}

	@Nested
	class Shutdowns extends AbstractShutdownContractTests {

	}

	@Nested
	@Tag("any-jdk")
	class HoldChecks extends AbstractHoldCheckTests {

	}

	@Nested
	@Tag("any-jdk")
	class View extends AbstractStoreViewTests {

	}

}
