package io.holdfast.engine.runtime;

import java.time.Duration;

/**
 * Until when one caller waits, over everything that it waits for.
 */
public final class Deadline {

	/**
	 * As many nanoseconds are left as there is no limit.
	 */
	public static final long NONE = Long.MAX_VALUE;

	private final MonotonicClock clock;

	private final long start;

	private final Duration limit;

	private final Shutdown shutdown;

	/**
	 * Begin to wait.
	 * @param limit the limit; zero for one attempt, negative for none
	 * @param shutdown ends all waits
	 */
	public Deadline(MonotonicClock clock, Duration limit, Shutdown shutdown) {
		this.clock = clock;
		this.start = clock.nanos();
		this.limit = limit;
		this.shutdown = shutdown;
	}

	/**
	 * Return when the wait has begun.
	 */
	public long start() {
		return this.start;
	}

	public boolean isOneAttempt() {
		return this.limit.isZero();
	}

	public boolean isUnlimited() {
		return this.limit.isNegative();
	}

	public boolean isOver() {
		return !isUnlimited() && MonotonicClock.toNanos(this.limit) - elapsed() <= 0;
	}

	/**
	 * Return how many nanoseconds are left, or {@link #NONE}.
	 */
	public long left() {
		return Math.min(isUnlimited() ? NONE : MonotonicClock.toNanos(this.limit) - elapsed(), this.shutdown.left());
	}

	public Duration waited() {
		return Duration.ofNanos(elapsed());
	}

	private long elapsed() {
		return this.clock.nanos() - this.start;
	}

}
