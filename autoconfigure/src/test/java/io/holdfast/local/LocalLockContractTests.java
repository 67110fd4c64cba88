package io.holdfast.local;

import io.holdfast.engine.AbstractLeaseContractTests;
import io.holdfast.engine.AbstractLockContractTests;
import io.holdfast.engine.AbstractShutdownContractTests;
import io.holdfast.engine.AbstractWaitContractTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, in memory.
 */
class LocalLockContractTests {

	@RegisterExtension
	static final LockStores stores = new LocalStores();

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

}
