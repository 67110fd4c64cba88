package io.holdfast;

/**
 * The result of a release.
 *
 * @since 0.1.0
 */
public enum ReleaseResult {

	/**
	 * The lock was held until now, and is free, or kept for
	 * {@link LockRequest#minHold()}.
	 */
	RELEASED,

	/**
	 * The owner still holds the lock: it has other nested holds, or a
	 * {@link LockTemplate} acquired the lock in a transaction that has not completed.
	 */
	STILL_HELD,

	/**
	 * The lock was lost before the release: the code under it was not protected to its
	 * end.
	 */
	LOST,

	/**
	 * The lock was held until now, but the release has not reached the store. It is
	 * repeated in the background until the lease expires, which frees the lock anyway.
	 */
	PENDING

}
