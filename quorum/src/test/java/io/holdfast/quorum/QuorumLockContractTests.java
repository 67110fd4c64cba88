package io.holdfast.quorum;

import io.holdfast.engine.AbstractHoldCheckTests;
import io.holdfast.engine.AbstractKindsOfLocksTests;
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
 * What users can rely on, and what operators see, with three masters.
 */
@Tag("any-jdk")
@Tag("slow")
class QuorumLockContractTests {

	@RegisterExtension
	static final LockStores stores = QuorumServers.sure(3);

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
	class HoldChecks extends AbstractHoldCheckTests {

	}

	@Nested
	class View extends AbstractStoreViewTests {

	}

	@Nested
	class KindsOfLocksByLettuce extends AbstractKindsOfLocksTests {

		@RegisterExtension
		static final LockStores stores = QuorumServers.sureByLettuce(3);

		@Override
		public int keysAtOnce() {
			return 100;
		}

	}

}
