package io.holdfast.engine;

import org.junit.jupiter.api.Nested;

/**
 * What every store must do for all kinds of locks, however they are waited for, and for
 * locks that are kept.
 */
public abstract class AbstractLockFamilyTests extends AbstractKindsOfLocksTests {

	@Nested
	class Waiting extends AbstractWaitingTests {

	}

	@Nested
	class MinHold extends AbstractMinHoldTests {

	}

	@Nested
	class Async extends AbstractAsyncTests {

	}

	@Nested
	class Permits extends AbstractPermitTests {

	}

}
