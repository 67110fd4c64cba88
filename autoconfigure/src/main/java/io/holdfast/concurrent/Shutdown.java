package io.holdfast.concurrent;

import java.time.Duration;

import io.holdfast.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * How far a shutdown has come: until when callers may wait for locks, and whether any
 * lock can be acquired at all. After a new start, what began before stays refused.
 *
 * @since 0.1.0
 */
public final class Shutdown {

	private final MonotonicClock clock;

	private volatile Run run;

	/**
	 * Create a shutdown that has not begun.
	 * @param clock the time
	 */
	public Shutdown(MonotonicClock clock) {
		this.clock = clock;
		this.run = new Run(clock);
	}

	/**
	 * Let callers wait for so long from now on, and no longer. Those that wait already
	 * have to be woken.
	 * @param time how long
	 */
	public void limitWaits(Duration time) {
		this.run.waitsEnd = this.clock.nanos() + MonotonicClock.toNanos(time);
	}

	/**
	 * Let no lock be acquired any more.
	 */
	public void close() {
		this.run.closed = true;
	}

	/**
	 * Begin anew.
	 */
	public void open() {
		if (this.run.closed) {
			this.run = new Run(this.clock);
		}
		this.run.waitsEnd = null;
	}

	/**
	 * Return whether no lock can be acquired any more.
	 * @return whether it is closed
	 */
	public boolean isClosed() {
		return this.run.closed;
	}

	Run run() {
		return this.run;
	}

	/**
	 * The time from a start to the end of the shutdown after it.
	 */
	static final class Run {

		private final MonotonicClock clock;

		private volatile @Nullable Long waitsEnd;

		private volatile boolean closed;

		private Run(MonotonicClock clock) {
			this.clock = clock;
		}

		/**
		 * Return for how long callers may still wait.
		 * @return nanoseconds, or {@link Long#MAX_VALUE} for no limit
		 */
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
