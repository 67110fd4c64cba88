package io.holdfast;

import java.time.Duration;

/**
 * Is notified when locks of this instance are acquired, not acquired, released or lost.
 * Beans of this type are called in their order. Nested acquisitions of a lock that is
 * already held are not reported, nor is what happens while one of these beans, or a bean
 * that it needs, is being created.
 *
 * <p>
 * All methods except {@link #onLost} are called on the thread that acquires or releases,
 * and should return quickly. An exception is logged and not propagated. A bean that does
 * not return misses events.
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
	 * A lock was not acquired, for any {@link NotAcquiredReason reason}.
	 * @param request what was requested
	 * @param waited the time from the request to its end
	 */
	default void onNotAcquired(LockRequest request, Duration waited) {
	}

	/**
	 * A lock was not acquired, with the reason. The default implementation calls
	 * {@link #onNotAcquired(LockRequest, Duration)}.
	 * @param request what was requested
	 * @param waited the time from the request to its end
	 * @param reason why it was not acquired
	 */
	default void onNotAcquired(LockRequest request, Duration waited, NotAcquiredReason reason) {
		onNotAcquired(request, waited);
	}

	/**
	 * A lock was released by its owner.
	 * @param lock the lock as it was before
	 * @param held the time from the grant to the release
	 * @param result what the release found; {@link ReleaseResult#LOST} comes in addition
	 * to {@link #onLost}
	 */
	default void onReleased(LockSnapshot lock, Duration held, ReleaseResult result) {
	}

	/**
	 * A lock was lost before its owner released it. Called once for each lost lock, on a
	 * separate thread.
	 * @param lock the lost lock
	 * @param cause why it was lost
	 */
	default void onLost(LockSnapshot lock, Throwable cause) {
	}

}
