package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.engine.runtime.MonotonicClock;

/**
 * Until when one caller waits, over everything that it waits for.
 */
final class Deadline {

	/**
	 * As many nanoseconds are left as there is no limit.
	 */
	static final long NONE = Long.MAX_VALUE;

	private final MonotonicClock clock;

	private final long start;

	private final Duration limit;

	private final Shutdown shutdown;

	/**
	 * Begin to wait.
	 * @param limit the limit; zero for one attempt, negative for none
	 * @param shutdown ends all waits
	 */
	Deadline(MonotonicClock clock, Duration limit, Shutdown shutdown) {
		this.clock = clock;
		this.start = clock.nanos();
		this.limit = limit;
		this.shutdown = shutdown;
	}

	/**
	 * Return when the wait has begun.
	 */
	long start() {
		return this.start;
	}

	boolean isOneAttempt() {
		return this.limit.isZero();
	}

	boolean isUnlimited() {
		return this.limit.isNegative();
	}

	boolean isOver() {
		return !isUnlimited() && MonotonicClock.toNanos(this.limit) - elapsed() <= 0;
	}

	/**
	 * Return how many nanoseconds are left, or {@link #NONE}.
	 */
	long left() {
		return Math.min(isUnlimited() ? NONE : MonotonicClock.toNanos(this.limit) - elapsed(), this.shutdown.left());
	}

	Duration waited() {
		return Duration.ofNanos(elapsed());
	}

	private long elapsed() {
		return this.clock.nanos() - this.start;
	}

}
