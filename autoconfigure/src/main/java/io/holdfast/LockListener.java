package io.holdfast;

import java.time.Duration;

/**
 * Is told what happens to the locks of this instance. Beans of this type are found and
 * called in their order. A nested hold of a lock that is held already is not told.
 *
 * <p>
 * All but {@link #onLost} are called on the thread that acquires or releases and should
 * return quickly. An exception is logged and goes no further.
 *
 * @since 0.1.0
 */
public interface LockListener {

	/**
	 * A lock was acquired.
	 * @param lock the lock
	 * @param waited the time from the request to the grant
	 */
	default void onAcquired(LockSnapshot lock, Duration waited) {
	}

	/**
	 * A lock was not acquired: the wait ran out, was interrupted, or Redis could not be
	 * asked.
	 * @param request what was asked for
	 * @param waited the time from the request to giving up
	 */
	default void onNotAcquired(LockRequest request, Duration waited) {
	}

	/**
	 * A lock was not acquired, and this is why. Calls
	 * {@link #onNotAcquired(LockRequest, Duration)} unless it is overridden.
	 * @param request what was asked for
	 * @param waited the time from the request to giving up
	 * @param reason why it was given up
	 */
	default void onNotAcquired(LockRequest request, Duration waited, NotAcquiredReason reason) {
		onNotAcquired(request, waited);
	}

	/**
	 * A lock was given up by its owner.
	 * @param lock the lock as it was before
	 * @param held the time from the grant to the release
	 * @param result what the release found; {@link ReleaseResult#LOST} comes in addition
	 * to {@link #onLost}
	 */
	default void onReleased(LockSnapshot lock, Duration held, ReleaseResult result) {
	}

	/**
	 * A lock was lost while its owner relied on it. Told once for each lost lock, on a
	 * thread of its own.
	 * @param lock the lost lock
	 * @param cause why it was lost
	 */
	default void onLost(LockSnapshot lock, Throwable cause) {
	}

}
