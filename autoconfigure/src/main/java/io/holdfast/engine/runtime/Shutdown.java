package io.holdfast.engine.runtime;

import java.time.Duration;

import io.holdfast.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * How far a shutdown has come: until when callers may wait for locks, and whether any
 * lock can be acquired at all.
 */
public final class Shutdown {

	private final MonotonicClock clock;

	private volatile @Nullable Long waitsEnd;

	private volatile boolean closed;

	public Shutdown(MonotonicClock clock) {
		this.clock = clock;
	}

	/**
	 * Let callers wait for so long from now on, and no longer. Those who wait already
	 * have to be woken.
	 */
	public void limitWaits(Duration time) {
		this.waitsEnd = this.clock.nanos() + MonotonicClock.toNanos(time);
	}

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

	public boolean isClosed() {
		return this.closed;
	}

	/**
	 * Return how many nanoseconds callers may still wait, or {@link Long#MAX_VALUE}.
	 */
	public long left() {
		Long end = this.waitsEnd;
		return (end != null) ? end - this.clock.nanos() : Long.MAX_VALUE;
	}

	public void ensureOpen() {
		if (this.closed) {
			throw new LockUnavailableException("No lock can be acquired any more: the application is shutting down",
					null);
		}
	}

	public void ensureMayWait() {
		ensureOpen();
		if (left() <= 0) {
			throw new LockUnavailableException("No lock is waited for any more: the application is shutting down",
					null);
		}
	}

}
