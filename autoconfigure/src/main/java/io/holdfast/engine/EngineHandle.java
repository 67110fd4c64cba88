package io.holdfast.engine;

import io.holdfast.LockHandle;

/**
 * A handle as asynchronous methods need it.
 *
 * @since 0.1.0
 */
public interface EngineHandle extends LockHandle {

	/**
	 * Release without waiting for the store: it is asked in the background.
	 */
	void releaseAside();

	/**
	 * Note that nothing was done under the lock, which is about to be released: the keys
	 * are not kept, whatever {@link io.holdfast.LockRequest#minHold()} says.
	 */
	void noteUnused();

}
