package io.holdfast.engine;

import java.time.Duration;

/**
 * How long a hold can be relied on. Counts from before the request was sent, less an
 * allowance for clocks of different speeds, so that it ends here before it ends in the
 * store. Never gets shorter, and once over it stays over.
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

	// The store may grant this although no answer arrives
	synchronized void asked(long sentAt, Duration lease) {
		this.longestAsked = MonotonicClock.later(this.longestAsked, sentAt + MonotonicClock.toNanos(lease));
	}

	synchronized void prolong(long sentAt, Duration granted) {
		if (!isOver()) {
			this.deadline = MonotonicClock.later(this.deadline, deadline(sentAt, granted));
		}
	}

	// One step with prolong(): an answer of true is not contradicted by time that is
	// booked meanwhile
	synchronized boolean isOver() {
		return remainingNanos() <= 0;
	}

	Duration remaining() {
		return Duration.ofNanos(Math.max(0, remainingNanos()));
	}

	long deadline() {
		return this.deadline;
	}

	// Until when the store may have the hold if it was asked no later than now
	long latestEnd() {
		return this.longestAsked;
	}

	// Looks at the clock first: the deadline may be put off meanwhile
	private long remainingNanos() {
		long now = this.clock.nanos();
		return this.deadline - now;
	}

	private static long deadline(long sentAt, Duration granted) {
		long nanos = MonotonicClock.toNanos(granted);
		return sentAt + nanos - nanos / DRIFT_DIVISOR - DRIFT_FLOOR;
	}

}
