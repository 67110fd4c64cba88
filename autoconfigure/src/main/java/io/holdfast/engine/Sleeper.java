package io.holdfast.engine;

/**
 * A caller that waits, with or without a thread.
 */
@FunctionalInterface
interface Sleeper {

	// Have it look whether the lock has come. Returns at once. Never throws: a grant may
	// be known to this caller alone
	void wake();

	// Return whether it was interrupted and must not be. The interrupt is kept for later
	default boolean putOffInterrupt() {
		return false;
	}

}
