package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.concurrent.MonotonicClock;

/**
 * How long a hold can be relied on. Counts from before the request was sent, less an
 * allowance for clocks that run at different speeds, so that it is over here before it is
 * over in the store. Only ever gets longer, and once over it stays over.
 */
final class Lease {

	private static final long DRIFT_DIVISOR = 100;

	private static final long DRIFT_FLOOR = Duration.ofMillis(2).toNanos();

	private final MonotonicClock clock;

	private volatile long deadline;

	private volatile long longestAsked;

	Lease(MonotonicClock clock, long sentAt, Duration granted) {
		this.clock = clock;
		this.deadline = deadline(sentAt, granted);
		this.longestAsked = sentAt + MonotonicClock.toNanos(granted);
	}

	/**
	 * Note that the store is being asked for so much time, which it may grant although no
	 * answer arrives.
	 */
	synchronized void asked(long sentAt, Duration lease) {
		this.longestAsked = MonotonicClock.later(this.longestAsked, sentAt + MonotonicClock.toNanos(lease));
	}

	/**
	 * Book more time that the store has granted.
	 * @return {@code false} when that came too late: the lease is over already
	 */
	synchronized boolean prolong(long sentAt, Duration granted) {
		if (isOver()) {
			return false;
		}
		this.deadline = MonotonicClock.later(this.deadline, deadline(sentAt, granted));
		return !isOver();
	}

	/**
	 * Return whether it is over. One step with {@link #prolong}: what says so once is not
	 * contradicted by time that is booked meanwhile.
	 */
	synchronized boolean isOver() {
		return remainingNanos() <= 0;
	}

	Duration remaining() {
		return Duration.ofNanos(Math.max(0, remainingNanos()));
	}

	long deadline() {
		return this.deadline;
	}

	/**
	 * Return until when the store may still have the hold, if it is not told otherwise
	 * and was asked no later than now.
	 */
	long latestEnd() {
		return this.longestAsked;
	}

	/**
	 * Looks at the clock first: the deadline may be put off meanwhile.
	 */
	private long remainingNanos() {
		long now = this.clock.nanos();
		return this.deadline - now;
	}

	private static long deadline(long sentAt, Duration granted) {
		long nanos = MonotonicClock.toNanos(granted);
		return sentAt + nanos - nanos / DRIFT_DIVISOR - DRIFT_FLOOR;
	}

}
