package io.holdfast.concurrent;

import java.time.Duration;

import io.holdfast.LockUnavailableException;

/**
 * Until when one caller waits, over everything that it waits for.
 *
 * @since 0.1.0
 */
public final class Deadline {

	/**
	 * As many nanoseconds are left as there is no limit.
	 */
	public static final long NONE = Long.MAX_VALUE;

	private final MonotonicClock clock;

	private final long start;

	private final Duration limit;

	private final Shutdown.Run run;

	/**
	 * Begin to wait.
	 * @param clock the time
	 * @param limit the limit; zero for one attempt, negative for none
	 * @param shutdown ends all waits
	 */
	public Deadline(MonotonicClock clock, Duration limit, Shutdown shutdown) {
		this(clock, clock.nanos(), limit, shutdown.run());
	}

	private Deadline(MonotonicClock clock, long start, Duration limit, Shutdown.Run run) {
		this.clock = clock;
		this.start = start;
		this.limit = limit;
		this.run = run;
	}

	/**
	 * Return the same with a limit that leaves some time. A shutdown may leave less,
	 * which no caller takes for the end of its own time.
	 * @param least how long to wait at least from now on
	 * @return a changed copy, or this if its own limit leaves as much
	 */
	public Deadline withAtLeast(Duration least) {
		return (ownLeft() < least.toNanos()) ? new Deadline(this.clock, this.start, waited().plus(least), this.run)
				: this;
	}

	/**
	 * Return whether there is but one attempt.
	 * @return whether the limit is zero
	 */
	public boolean isOneAttempt() {
		return this.limit.isZero();
	}

	/**
	 * Return whether there is no limit.
	 * @return whether the limit is negative
	 */
	public boolean isUnlimited() {
		return this.limit.isNegative();
	}

	/**
	 * Return whether the time is over.
	 * @return whether nothing is left
	 */
	public boolean isOver() {
		return ownLeft() <= 0;
	}

	/**
	 * Return how long is left, also of a shutdown.
	 * @return nanoseconds, or {@link #NONE}
	 */
	public long left() {
		return Math.min(ownLeft(), this.run.left());
	}

	/**
	 * Make sure that the lock can be acquired.
	 * @throws LockUnavailableException if there was a shutdown since the wait began
	 */
	public void ensureOpen() {
		this.run.ensureOpen();
	}

	/**
	 * Make sure that the caller may wait.
	 * @throws LockUnavailableException if there was a shutdown since the wait began, or
	 * one ends waits
	 */
	public void ensureMayWait() {
		this.run.ensureMayWait();
	}

	private long ownLeft() {
		return isUnlimited() ? NONE : MonotonicClock.toNanos(this.limit) - elapsed();
	}

	/**
	 * Return for how long it has waited.
	 * @return the time until now
	 */
	public Duration waited() {
		return Duration.ofNanos(elapsed());
	}

	private long elapsed() {
		return this.clock.nanos() - this.start;
	}

}
