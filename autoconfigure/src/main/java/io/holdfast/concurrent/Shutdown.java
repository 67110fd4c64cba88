package io.holdfast.concurrent;

import java.time.Duration;

import io.holdfast.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * How far a shutdown has come: until when callers may wait for locks, and whether any
 * lock can be acquired at all.
 *
 * @since 0.1.0
 */
public final class Shutdown {

	private final MonotonicClock clock;

	private volatile @Nullable Long waitsEnd;

	private volatile boolean closed;

	/**
	 * Create a shutdown that has not begun.
	 * @param clock the time
	 */
	public Shutdown(MonotonicClock clock) {
		this.clock = clock;
	}

	/**
	 * Let callers wait for so long from now on, and no longer. Those that wait already
	 * have to be woken.
	 * @param time how long
	 */
	public void limitWaits(Duration time) {
		this.waitsEnd = this.clock.nanos() + MonotonicClock.toNanos(time);
	}

	/**
	 * Let no lock be acquired any more.
	 */
	public void close() {
		this.closed = true;
	}

	/**
	 * Begin anew.
	 */
	public void open() {
		this.waitsEnd = null;
		this.closed = false;
	}

	/**
	 * Return whether no lock can be acquired any more.
	 * @return whether it is closed
	 */
	public boolean isClosed() {
		return this.closed;
	}

	/**
	 * Return for how long callers may still wait.
	 * @return nanoseconds, or {@link Long#MAX_VALUE} for no limit
	 */
	public long left() {
		Long end = this.waitsEnd;
		return (end != null) ? end - this.clock.nanos() : Long.MAX_VALUE;
	}

	/**
	 * Make sure that locks can be acquired.
	 * @throws LockUnavailableException when not
	 */
	public void ensureOpen() {
		if (this.closed) {
			throw new LockUnavailableException("No lock can be acquired any more: the application is shutting down",
					null);
		}
	}

	/**
	 * Make sure that callers may wait.
	 * @throws LockUnavailableException when not
	 */
	public void ensureMayWait() {
		ensureOpen();
		if (left() <= 0) {
			throw new LockUnavailableException("Waiting for locks has ended: the application is shutting down", null);
		}
	}

}
