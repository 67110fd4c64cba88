package io.holdfast.engine;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * All that users and operators can rely on, but for kinds of locks: once for each store.
 */
public abstract class AbstractWholeContractTests extends AbstractContractTests {

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

}
