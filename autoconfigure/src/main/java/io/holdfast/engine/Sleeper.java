package io.holdfast.engine;

/**
 * Whoever waits for something, with or without a thread.
 */
interface Sleeper {

	/**
	 * Have a look: what is waited for may have come. Returns at once, and does nothing
	 * for one that does not sleep.
	 */
	void wake();

}
