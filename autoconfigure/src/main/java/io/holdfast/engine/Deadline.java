package io.holdfast.engine;

import java.time.Duration;

/**
 * Until when one caller waits. A limit of zero means one attempt, a negative one no
 * limit.
 */
final class Deadline {

	static final long NONE = Long.MAX_VALUE;

	private final MonotonicClock clock;

	private final long start;

	private final Duration limit;

	private final Shutdown.Epoch epoch;

	Deadline(MonotonicClock clock, Duration limit, Shutdown shutdown) {
		this.clock = clock;
		this.start = clock.nanos();
		this.limit = limit;
		this.epoch = shutdown.epoch();
	}

	boolean isOneAttempt() {
		return this.limit.isZero();
	}

	boolean isUnlimited() {
		return this.limit.isNegative();
	}

	boolean isOver() {
		return ownLeft() <= 0;
	}

	// In nanoseconds, and no more than a shutdown leaves; NONE for no limit
	long left() {
		return Math.min(ownLeft(), this.epoch.left());
	}

	// Throws if there was a shutdown since the wait began
	void ensureOpen() {
		this.epoch.ensureOpen();
	}

	// Throws if there was a shutdown since the wait began, or one ends waits
	void ensureMayWait() {
		this.epoch.ensureMayWait();
	}

	private long ownLeft() {
		return isUnlimited() ? NONE : MonotonicClock.toNanos(this.limit) - elapsed();
	}

	Duration waited() {
		return Duration.ofNanos(elapsed());
	}

	private long elapsed() {
		return this.clock.nanos() - this.start;
	}

}
