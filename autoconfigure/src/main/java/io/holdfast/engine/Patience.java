package io.holdfast.engine;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * How long one caller waits, over everything it waits for: one deadline for the whole
 * acquisition.
 */
final class Patience {

	private final MonotonicClock clock;

	private final long start;

	private final Duration limit;

	private final ClosingTime closingTime;

	/**
	 * Begin to wait.
	 * @param limit the limit; zero for one try, negative for none
	 * @param closingTime until when anybody waits
	 */
	Patience(MonotonicClock clock, Duration limit, ClosingTime closingTime) {
		this.clock = clock;
		this.start = clock.nanos();
		this.limit = limit;
		this.closingTime = closingTime;
	}

	boolean isOneTry() {
		return this.limit.isZero();
	}

	boolean isUnlimited() {
		return this.limit.isNegative();
	}

	boolean isOver() {
		return !isUnlimited() && remaining() <= 0;
	}

	long now() {
		return this.clock.nanos();
	}

	Duration waited() {
		return Duration.ofNanos(elapsed());
	}

	/**
	 * Return a pause until a condition holds, no longer than the limit.
	 */
	Pause until(BooleanSupplier condition) {
		return until(condition, Pause.NO_END);
	}

	/**
	 * Return a pause until a condition holds, of so many nanoseconds at most and no
	 * longer than the limit.
	 */
	Pause until(BooleanSupplier condition, long atMost) {
		return new Pause(this.clock, condition, isUnlimited() ? atMost : Math.min(atMost, remaining()),
				this.closingTime);
	}

	private long remaining() {
		return MonotonicClock.toNanos(this.limit) - elapsed();
	}

	private long elapsed() {
		return this.clock.nanos() - this.start;
	}

}
