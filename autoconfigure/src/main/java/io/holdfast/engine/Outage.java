package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.LockUnavailableException;
import io.holdfast.LogText;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * A period in which the store does not answer requests for locks.
 */
final class Outage {

	static final Duration RETRY = Duration.ofMillis(100);

	private static final Duration AT_ONCE = Duration.ofMillis(30);

	// A busy machine may take that long to notice that a connection is closed
	private static final Duration CONNECTION_USELESS = Duration.ofSeconds(1);

	private final MonotonicClock clock;

	private final Duration longest;

	private volatile @Nullable LockStoreException failure;

	private volatile long since;

	// Callers without a limit give up after the longest time; negative for never
	Outage(MonotonicClock clock, Duration longest) {
		this.clock = clock;
		this.longest = longest;
	}

	// The connection may have been broken before, which only a request shows
	static boolean mayRetryAtOnce(LockStoreException failure, Duration after) {
		return failedAtOnce(failure, after) && !Thread.currentThread().isInterrupted();
	}

	// The request has not waited in vain for the store
	static boolean failedAtOnce(LockStoreException failure, Duration after) {
		return failure instanceof LateGrantException
				|| after.compareTo(failure.isConnectionUseless() ? CONNECTION_USELESS : AT_ONCE) < 0;
	}

	static boolean isInterrupt(LockStoreException failure) {
		return NestedExceptionUtils.getMostSpecificCause(failure) instanceof InterruptedException;
	}

	// Returns how long to wait before the next request. An interrupt of one caller is no
	// outage, nor is an answer that was late for the lease of one
	Duration failed(LockStoreException failure) {
		if (isInterrupt(failure)) {
			return Duration.ZERO;
		}
		if (failure instanceof LateGrantException) {
			return RETRY;
		}
		if (this.failure == null) {
			this.since = this.clock.nanos();
		}
		this.failure = failure;
		return RETRY;
	}

	void answered() {
		this.failure = null;
	}

	// Repetition is useless, or the caller has no limit and the outage lasts too long
	boolean endsWaitOf(Deadline deadline) {
		LockStoreException present = this.failure;
		return present != null && (!present.isTransient() || (deadline.isUnlimited() && !this.longest.isNegative()
				&& this.clock.nanos() - this.since >= MonotonicClock.toNanos(this.longest)));
	}

	void throwIfPresent(String keys) {
		LockStoreException present = this.failure;
		if (present != null) {
			throw unavailable(keys, present);
		}
	}

	static LockUnavailableException unavailable(String keys, LockStoreException failure) {
		String reason = String.valueOf(failure.getMessage());
		String cause = NestedExceptionUtils.getMostSpecificCause(failure).getMessage();
		return new LockUnavailableException(
				"Lock '%s' could not be acquired: %s".formatted(keys,
						(cause == null || reason.contains(LogText.of(cause))) ? reason : reason + " (" + cause + ")"),
				failure);
	}

	/**
	 * The store has answered, but too late.
	 */
	static final class LateGrantException extends LockStoreException {

		private static final long serialVersionUID = 1L;

		LateGrantException(Duration lease) {
			super("The answer that granted it took longer than its lease of %d ms".formatted(lease.toMillis()), null,
					true);
		}

	}

}
