package io.holdfast.test;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Notices when the machine stands still, or is so busy that a thread does not get on.
 */
final class StallWatch implements AutoCloseable {

	private static final Duration TICK = Duration.ofMillis(10);

	/**
	 * What tests put up with.
	 */
	private static final Duration STALL = Duration.ofMillis(100);

	private volatile boolean over;

	private volatile Duration longest = Duration.ZERO;

	void start() {
		Thread thread = new Thread(this::watch, "stall-watch");
		thread.setDaemon(true);
		thread.start();
	}

	private void watch() {
		long last = System.nanoTime();
		while (!this.over) {
			LockSupport.parkNanos(TICK.toNanos());
			long now = System.nanoTime();
			note(Duration.ofNanos(now - last));
			last = now;
		}
	}

	void note(Duration passed) {
		this.longest = (passed.compareTo(this.longest) > 0) ? passed : this.longest;
	}

	Duration longest() {
		return this.longest;
	}

	boolean hasNoticedAny() {
		return this.longest.compareTo(STALL) > 0;
	}

	@Override
	public void close() {
		this.over = true;
	}

}
