package io.holdfast.engine;

import java.util.function.BooleanSupplier;

/**
 * Something to wait for before an acquisition goes on. Whoever makes it come wakes the
 * {@link Sleeper}.
 */
final class Pause {

	static final long NO_END = Long.MAX_VALUE;

	private final MonotonicClock clock;

	private final BooleanSupplier condition;

	private final long atMost;

	private final long begin;

	private final ClosingTime closingTime;

	/**
	 * Create a pause that begins now.
	 * @param condition what to wait for; asked by any thread
	 * @param atMost for how many nanoseconds to wait, {@link #NO_END} for no limit
	 * @param closingTime ends the pause as well, also if it is set meanwhile
	 */
	Pause(MonotonicClock clock, BooleanSupplier condition, long atMost, ClosingTime closingTime) {
		this.clock = clock;
		this.condition = condition;
		this.atMost = atMost;
		this.begin = clock.nanos();
		this.closingTime = closingTime;
	}

	boolean isOver() {
		return this.condition.getAsBoolean() || left() <= 0;
	}

	/**
	 * Return how many nanoseconds are left, or {@link #NO_END}.
	 */
	long left() {
		long own = (this.atMost != NO_END) ? this.atMost - (this.clock.nanos() - this.begin) : NO_END;
		return Math.min(own, this.closingTime.left());
	}

}
