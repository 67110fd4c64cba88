package io.holdfast.engine;

/**
 * A caller that waits, with or without a thread.
 */
@FunctionalInterface
interface Sleeper {

	// Nanoseconds for which a caller stays awake after an early wake-up
	long MOMENT = 50_000;

	// Have it look whether the lock has come. Returns at once. Never throws: a grant may
	// be known to this caller alone
	void wake();

	// Have it stay awake for a moment, since the lock is about to come: waking a thread
	// takes longer than a short section. Never throws
	default void wakeEarly() {
	}

	// Return whether it was interrupted and must not be. The interrupt is kept for later
	default boolean putOffInterrupt() {
		return false;
	}

}
