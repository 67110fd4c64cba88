package io.holdfast;

/**
 * What a release found and did.
 *
 * @since 0.1.0
 */
public enum ReleaseResult {

	/**
	 * The lock was held until now, and is free or kept from all
	 * ({@link LockRequest#minHold()}).
	 */
	RELEASED,

	/**
	 * One of several nested holds was given up, or the lock is kept until the transaction
	 * has completed in which a {@link LockTemplate} acquired it; the owner still holds
	 * the lock.
	 */
	STILL_HELD,

	/**
	 * The lock had been lost before the release: what ran under it was not protected to
	 * the end.
	 */
	LOST,

	/**
	 * The lock was held until now, but Redis could not be told yet. The release is
	 * repeated in the background until the lease is over, which frees the lock anyway.
	 */
	PENDING

}
