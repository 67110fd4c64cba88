package io.holdfast.faults.worker;

import java.time.Duration;

import io.holdfast.LockHandle;

/**
 * A stay in a guarded section, which goes on whatever happens to the lock: the worst that
 * a user may do.
 */
final class Stay {

	private static final Duration STEP = Duration.ofMillis(2);

	private final LockHandle lock;

	private final ShiftLog log;

	private long heldUntil = Long.MIN_VALUE;

	Stay(LockHandle lock, ShiftLog log) {
		this.lock = lock;
		this.log = log;
	}

	/**
	 * Stay for a time, at most until the shift is over.
	 */
	void last(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		while (System.nanoTime() < end && !this.log.isOver()) {
			look();
			this.log.rest(STEP);
		}
	}

	/**
	 * Look whether the lock is held. What counts is the time before, since the answer may
	 * take long.
	 */
	void look() {
		long now = System.nanoTime();
		if (this.lock.isHeld()) {
			this.heldUntil = now;
		}
	}

	/**
	 * Return when the lock was last seen to be held.
	 */
	long heldUntil() {
		return this.heldUntil;
	}

}
