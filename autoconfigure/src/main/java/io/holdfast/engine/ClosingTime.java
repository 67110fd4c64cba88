package io.holdfast.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Until when callers may wait for locks, whatever their patience: for ever, unless a
 * shutdown has begun.
 */
final class ClosingTime {

	private final MonotonicClock clock;

	private volatile @Nullable Long end;

	ClosingTime(MonotonicClock clock) {
		this.clock = clock;
	}

	/**
	 * Let it come. Those who wait by then have to be woken: they sleep for longer.
	 * @param time how long it is until then
	 */
	void comesIn(Duration time) {
		this.end = this.clock.nanos() + MonotonicClock.toNanos(time);
	}

	void neverComes() {
		this.end = null;
	}

	boolean hasCome() {
		return left() <= 0;
	}

	/**
	 * Return how many nanoseconds are left, or {@link Pause#NO_END}.
	 */
	long left() {
		Long present = this.end;
		return (present != null) ? present - this.clock.nanos() : Pause.NO_END;
	}

}
