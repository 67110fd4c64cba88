package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts things that begin and end, and can be waited for until none is left.
 */
final class Tally {

	private final AtomicInteger count = new AtomicInteger();

	private volatile boolean awaited;

	void begin() {
		this.count.incrementAndGet();
	}

	void end() {
		if (this.count.decrementAndGet() == 0 && this.awaited) {
			synchronized (this) {
				notifyAll();
			}
		}
	}

	int count() {
		return this.count.get();
	}

	/**
	 * Wait until there is none.
	 * @param atMost how long to wait; an interrupt ends the wait as well
	 */
	synchronized void awaitNone(Duration atMost) {
		long begin = System.nanoTime();
		this.awaited = true;
		try {
			long left = MonotonicClock.toNanos(atMost);
			while (this.count.get() > 0 && left > 0) {
				TimeUnit.NANOSECONDS.timedWait(this, left);
				left = MonotonicClock.toNanos(atMost) - (System.nanoTime() - begin);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.awaited = false;
		}
	}

}
