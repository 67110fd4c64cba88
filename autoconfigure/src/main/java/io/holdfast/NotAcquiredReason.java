package io.holdfast;

/**
 * Why a lock was not acquired.
 *
 * @since 0.1.0
 * @see LockListener
 */
public enum NotAcquiredReason {

	/**
	 * Others held it for as long as the caller was willing to wait, be it for one try.
	 */
	TIMEOUT,

	/**
	 * The caller gave up: its thread was interrupted, or its future was cancelled or
	 * completed by others.
	 */
	INTERRUPTED,

	/**
	 * Redis could not be asked, or the application is shutting down.
	 */
	UNAVAILABLE,

	/**
	 * The caller holds the shared lock and has asked for the exclusive one, which it
	 * could never get.
	 * @see LockUpgradeException
	 */
	REFUSED

}
