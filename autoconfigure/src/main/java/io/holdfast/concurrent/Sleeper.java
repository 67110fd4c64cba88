package io.holdfast.concurrent;

/**
 * A caller that waits, with or without a thread.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Sleeper {

	/**
	 * How long one that was woken early stays awake, in nanoseconds. A constant for the
	 * compiler, so that a thread which is short of memory has nothing to initialize.
	 */
	long MOMENT = 50_000;

	/**
	 * Have it look: what it waits for may have come. Returns at once, and does nothing
	 * for one that does not sleep. Never throws: what was granted may be known to it
	 * alone.
	 */
	void wake();

	/**
	 * Have it stay awake for a {@linkplain #MOMENT moment}: what it waits for is about to
	 * come. Saves it the way through the scheduler, which takes longer than a short
	 * section. Never throws.
	 */
	default void wakeEarly() {
	}

}
