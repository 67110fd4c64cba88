package io.holdfast.concurrent;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts things that begin and end, and can be waited for until none is left.
 *
 * @since 0.1.0
 */
public final class Tally {

	/**
	 * Longest time between two looks, in case a wake-up has failed.
	 */
	private static final long LONGEST_SLEEP = Duration.ofMillis(100).toNanos();

	private final AtomicInteger count = new AtomicInteger();

	private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();

	private final EngineRuntime runtime;

	/**
	 * Create a tally of nothing.
	 * @param runtime time and threads
	 */
	public Tally(EngineRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Count one more.
	 */
	public void begin() {
		this.count.incrementAndGet();
	}

	/**
	 * Count one less.
	 */
	public void end() {
		if (this.count.decrementAndGet() == 0 && !this.waiting.isEmpty()) {
			this.waiting.forEach(this.runtime::unpark);
		}
	}

	/**
	 * Return how many there are.
	 * @return their number
	 */
	public int count() {
		return this.count.get();
	}

	/**
	 * Wait until there is none.
	 * @param atMost how long to wait; an interrupt ends the wait as well
	 */
	public void awaitNone(Duration atMost) {
		long end = this.runtime.nanos() + MonotonicClock.toNanos(atMost);
		this.waiting.add(Thread.currentThread());
		try {
			long left = end - this.runtime.nanos();
			while (this.count.get() > 0 && left > 0 && !Thread.currentThread().isInterrupted()) {
				this.runtime.park(this, Math.min(left, LONGEST_SLEEP));
				left = end - this.runtime.nanos();
			}
		}
		finally {
			this.waiting.remove(Thread.currentThread());
		}
	}

}
