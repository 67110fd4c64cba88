package io.holdfast.engine.store;

import java.time.Duration;

import io.holdfast.LockUnavailableException;
import io.holdfast.concurrent.Deadline;
import io.holdfast.concurrent.MonotonicClock;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * The time for which the store has not answered those who ask for a lock.
 *
 * @since 0.1.0
 */
public final class Outage {

	/**
	 * Time until the store is asked again that could not be asked.
	 */
	public static final Duration RETRY = Duration.ofMillis(100);

	private final MonotonicClock clock;

	private final Duration longest;

	private volatile @Nullable LockStoreException failure;

	private volatile long since;

	/**
	 * Create an outage that has not begun.
	 * @param clock the time
	 * @param longest how long it may last before callers without a limit give up;
	 * negative for no limit
	 */
	public Outage(MonotonicClock clock, Duration longest) {
		this.clock = clock;
		this.longest = longest;
	}

	/**
	 * Note that the store could not be asked. An interrupt of one caller is no outage.
	 * @param failure why
	 * @return for how long the store is not to be asked again
	 */
	public Duration failed(LockStoreException failure) {
		if (NestedExceptionUtils.getMostSpecificCause(failure) instanceof InterruptedException) {
			return Duration.ZERO;
		}
		if (this.failure == null) {
			this.since = this.clock.nanos();
		}
		this.failure = failure;
		return RETRY;
	}

	/**
	 * Note that the store has answered.
	 */
	public void answered() {
		this.failure = null;
	}

	/**
	 * Return whether a caller is to ask no more: there is no use in it, or it has no
	 * deadline of its own that would end it.
	 * @param deadline that of the caller
	 * @return whether it gives up
	 */
	public boolean endsWaitOf(Deadline deadline) {
		LockStoreException present = this.failure;
		return present != null && (!present.isTransient() || (deadline.isUnlimited() && !this.longest.isNegative()
				&& this.clock.nanos() - this.since >= MonotonicClock.toNanos(this.longest)));
	}

	/**
	 * Tell a caller that gives up when that is because the store cannot be asked.
	 * @param keys what it has asked for, as people read it
	 * @throws LockUnavailableException when the store has not answered last
	 */
	public void throwIfPresent(String keys) {
		LockStoreException present = this.failure;
		if (present != null) {
			throw unavailable(keys, present);
		}
	}

	/**
	 * Say why a lock could not be acquired.
	 * @param keys what was asked for, as people read it
	 * @param failure why the store could not be asked
	 * @return the exception
	 */
	public static LockUnavailableException unavailable(String keys, LockStoreException failure) {
		String reason = String.valueOf(failure.getMessage());
		String cause = NestedExceptionUtils.getMostSpecificCause(failure).getMessage();
		return new LockUnavailableException("Lock '%s' could not be acquired: %s".formatted(keys,
				(cause == null || reason.contains(cause)) ? reason : reason + " (" + cause + ")"), failure);
	}

}
