package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * How long one caller waits, over everything it waits for: one deadline for the whole
 * acquisition. Used by the caller's thread alone.
 */
final class Patience {

	private final MonotonicClock clock;

	private final long start;

	private final Duration limit;

	private final boolean interruptible;

	private boolean interrupted;

	private Patience(MonotonicClock clock, Duration limit, boolean interruptible) {
		this.clock = clock;
		this.start = clock.nanos();
		this.limit = limit;
		this.interruptible = interruptible;
	}

	/**
	 * Wait until the limit is over or the thread is interrupted.
	 * @param limit the limit; zero for one try, negative for none
	 */
	static Patience interruptible(MonotonicClock clock, Duration limit) {
		return new Patience(clock, limit, true);
	}

	/**
	 * Wait until the limit is over; an interrupt meanwhile is kept for
	 * {@link #restoreInterrupt()}.
	 */
	static Patience uninterruptible(MonotonicClock clock, Duration limit) {
		return new Patience(clock, limit, false);
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

	/**
	 * Return whether what has just arrived came too late to be of use to the caller. The
	 * one try of a caller that does not wait is never late.
	 */
	boolean isTooLate() {
		return !isOneTry() && isOver();
	}

	Duration waited() {
		return Duration.ofNanos(elapsed());
	}

	/**
	 * Wait until a condition holds, no longer than the limit. Whoever makes it hold
	 * unparks the waiting thread.
	 * @return whether it holds
	 * @throws InterruptedException when interrupted, if this is interruptible
	 */
	boolean await(BooleanSupplier condition) throws InterruptedException {
		return await(condition, Long.MAX_VALUE);
	}

	/**
	 * Wait until a condition holds, at most so many nanoseconds and no longer than the
	 * limit.
	 * @return whether it holds
	 * @throws InterruptedException when interrupted, if this is interruptible
	 */
	boolean await(BooleanSupplier condition, long atMost) throws InterruptedException {
		long begin = this.clock.nanos();
		while (!condition.getAsBoolean()) {
			long left = (atMost != Long.MAX_VALUE) ? atMost - (this.clock.nanos() - begin) : atMost;
			long nanos = isUnlimited() ? left : Math.min(left, remaining());
			if (nanos <= 0) {
				return condition.getAsBoolean();
			}
			if (nanos == Long.MAX_VALUE) {
				LockSupport.park(this);
			}
			else {
				LockSupport.parkNanos(this, nanos);
			}
			noticeInterrupt();
		}
		return true;
	}

	/**
	 * Look whether the thread has been interrupted.
	 * @throws InterruptedException if so, and this is interruptible
	 */
	void noticeInterrupt() throws InterruptedException {
		if (!Thread.interrupted()) {
			return;
		}
		if (this.interruptible) {
			throw new InterruptedException();
		}
		this.interrupted = true;
	}

	void restoreInterrupt() {
		if (this.interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private long remaining() {
		return MonotonicClock.toNanos(this.limit) - elapsed();
	}

	private long elapsed() {
		return this.clock.nanos() - this.start;
	}

}
