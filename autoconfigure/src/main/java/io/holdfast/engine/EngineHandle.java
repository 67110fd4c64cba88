package io.holdfast.engine;

import io.holdfast.LockHandle;

/**
 * A handle as asynchronous methods need it.
 *
 * @since 0.1.0
 */
public interface EngineHandle extends LockHandle {

	/**
	 * Release in the background, without waiting for the store.
	 */
	void releaseAside();

	/**
	 * Mark the lock as unused before its release: the keys are then not kept for
	 * {@link io.holdfast.LockRequest#minHold()}.
	 */
	void noteUnused();

}
