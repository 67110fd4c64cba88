package io.holdfast.engine;

import io.holdfast.LockHandle;

/**
 * What asynchronous methods need of a handle.
 *
 * @since 0.1.0
 */
public interface EngineHandle extends LockHandle {

	/**
	 * Release without waiting for the store, which is told in the background.
	 */
	void releaseAside();

	/**
	 * Note that nothing has been done under the lock, which is about to be released: its
	 * keys are not kept then, whatever {@link io.holdfast.LockRequest#minHold()} says.
	 */
	void noteUnused();

}
