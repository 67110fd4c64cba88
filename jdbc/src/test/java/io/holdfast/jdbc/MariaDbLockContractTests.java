package io.holdfast.jdbc;

import io.holdfast.engine.AbstractHoldCheckTests;
import io.holdfast.engine.AbstractLeaseContractTests;
import io.holdfast.engine.AbstractLockContractTests;
import io.holdfast.engine.AbstractLockFamilyTests;
import io.holdfast.engine.AbstractShutdownContractTests;
import io.holdfast.engine.AbstractStoreViewTests;
import io.holdfast.engine.AbstractWaitContractTests;
import io.holdfast.engine.LockStores;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What users can rely on, and what operators see, in MariaDB, where the machine has one.
 */
class MariaDbLockContractTests {

	@RegisterExtension
	static final LockStores stores = JdbcStores.on(new MariaDbDatabase());

	@Nested
	class Locks extends AbstractLockContractTests {

	}

	@Nested
	class Waits extends AbstractWaitContractTests {

	}

	@Nested
	@Tag("long")
	class Leases extends AbstractLeaseContractTests {

	}

	@Nested
	@Tag("long")
	class Shutdowns extends AbstractShutdownContractTests {

	}

	@Nested
	@Tag("slow")
	@Tag("long")
	class Kinds extends AbstractLockFamilyTests {

	}

	@Nested
	@Tag("long")
	class HoldChecks extends AbstractHoldCheckTests {

	}

	@Nested
	class View extends AbstractStoreViewTests {

	}

}
