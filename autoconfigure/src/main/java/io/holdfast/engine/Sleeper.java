package io.holdfast.engine;

/**
 * A caller that waits, with or without a thread.
 */
@FunctionalInterface
interface Sleeper {

	// Have it look whether the lock has come. Returns at once. Never throws: a grant may
	// be known to this caller alone
	void wake();

	// Keeps an interrupt of a caller that must not be interrupted for later. Returns
	// whether there was one
	default boolean putOffInterrupt() {
		return false;
	}

}
