package io.holdfast.engine;

import java.time.Duration;

/**
 * How long a hold can be relied on. Counts from before the request was sent, less an
 * allowance for clocks that run at different speeds, so that it is over here before it is
 * over in the store. Only ever gets longer.
 */
final class Lease {

	private static final long DRIFT_DIVISOR = 100;

	private static final long DRIFT_FLOOR = Duration.ofMillis(2).toNanos();

	private final MonotonicClock clock;

	private volatile long deadline;

	Lease(MonotonicClock clock, long sentAt, Duration granted) {
		this.clock = clock;
		this.deadline = deadline(sentAt, granted);
	}

	synchronized void prolong(long sentAt, Duration granted) {
		long later = deadline(sentAt, granted);
		if (later - this.deadline > 0) {
			this.deadline = later;
		}
	}

	boolean isOver() {
		return remainingNanos() <= 0;
	}

	Duration remaining() {
		return Duration.ofNanos(Math.max(0, remainingNanos()));
	}

	long deadline() {
		return this.deadline;
	}

	private long remainingNanos() {
		return this.deadline - this.clock.nanos();
	}

	private static long deadline(long sentAt, Duration granted) {
		long nanos = MonotonicClock.toNanos(granted);
		return sentAt + nanos - nanos / DRIFT_DIVISOR - DRIFT_FLOOR;
	}

}
