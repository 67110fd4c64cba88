package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * How far a shutdown has come. After a new start, what began before stays refused.
 */
final class Shutdown {

	private final MonotonicClock clock;

	private volatile Epoch epoch;

	Shutdown(MonotonicClock clock) {
		this.clock = clock;
		this.epoch = new Epoch(clock);
	}

	// Callers that wait already have to be woken
	void limitWaits(Duration time) {
		this.epoch.waitsEnd = this.clock.nanos() + MonotonicClock.toNanos(time);
	}

	void close() {
		this.epoch.closed = true;
	}

	void open() {
		if (this.epoch.closed) {
			this.epoch = new Epoch(this.clock);
		}
		this.epoch.waitsEnd = null;
	}

	boolean isClosed() {
		return this.epoch.closed;
	}

	Epoch epoch() {
		return this.epoch;
	}

	// From a start to the end of the shutdown after it
	static final class Epoch {

		private final MonotonicClock clock;

		private volatile @Nullable Long waitsEnd;

		private volatile boolean closed;

		private Epoch(MonotonicClock clock) {
			this.clock = clock;
		}

		long left() {
			Long end = this.waitsEnd;
			return (end != null) ? end - this.clock.nanos() : Long.MAX_VALUE;
		}

		void ensureOpen() {
			if (this.closed) {
				throw new LockUnavailableException("No lock can be acquired any more: the application is shutting down",
						null);
			}
		}

		void ensureMayWait() {
			ensureOpen();
			if (left() <= 0) {
				throw new LockUnavailableException("Waiting for locks has ended: the application is shutting down",
						null);
			}
		}

	}

}
