package io.holdfast.concurrent;

/**
 * A caller that waits, with or without a thread.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Sleeper {

	/**
	 * Have it look: what it waits for may have come. Returns at once, and does nothing
	 * for one that does not sleep. Never throws: what was granted may be known to it
	 * alone.
	 */
	void wake();

}
