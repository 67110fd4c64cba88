package io.holdfast.redis;

import io.holdfast.engine.AbstractAcquireFaultTests;
import io.holdfast.engine.AbstractLossTests;
import io.holdfast.engine.AbstractMinHoldFaultTests;
import io.holdfast.engine.AbstractReleaseFaultTests;
import io.holdfast.engine.AbstractShutdownFaultTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Faults on the way to one Redis.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class RedisLockFaultTests {

	@RegisterExtension
	static final LockStores stores = RedisStores.jedis();

	@Nested
	class Acquiring extends AbstractAcquireFaultTests {

	}

	@Nested
	class Releasing extends AbstractReleaseFaultTests {

	}

	@Nested
	class Losing extends AbstractLossTests {

	}

	@Nested
	class ShuttingDown extends AbstractShutdownFaultTests {

	}

	@Nested
	@Tag("any-jdk")
	class Keeping extends AbstractMinHoldFaultTests {

	}

}
