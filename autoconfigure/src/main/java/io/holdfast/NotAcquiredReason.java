package io.holdfast;

/**
 * Why a lock was not acquired.
 *
 * @since 0.1.0
 * @see LockListener
 */
public enum NotAcquiredReason {

	/**
	 * Other owners held the lock for as long as the caller waited, or at its only try.
	 */
	TIMEOUT,

	/**
	 * The caller gave up: its thread was interrupted, or its future was cancelled or
	 * completed.
	 */
	INTERRUPTED,

	/**
	 * The store did not answer, or the application is shutting down.
	 */
	UNAVAILABLE,

	/**
	 * The caller must first release what it has: it holds the shared lock and requested
	 * the exclusive one, or has lost a lock of Spring Integration and not unlocked it.
	 * @see LockUpgradeException
	 * @see LockLostException
	 */
	REFUSED

}
