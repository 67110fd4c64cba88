package io.holdfast.engine;

import org.junit.jupiter.api.Nested;

/**
 * What every store must do for shared and fair locks, for several keys and for views.
 */
public abstract class AbstractKindsOfLocksTests {

	@Nested
	class SharedAndFair extends AbstractSharedAndFairLockTests {

	}

	@Nested
	class SeveralKeys extends AbstractSeveralKeysTests {

	}

	@Nested
	class Views extends AbstractViewTests {

	}

}
