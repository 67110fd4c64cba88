package io.holdfast.engine;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Counts things that begin and end, and can be waited for until none is left.
 */
final class Tally {

	// In case a wake-up fails
	private static final long LONGEST_SLEEP = Duration.ofMillis(100).toNanos();

	private final AtomicInteger count = new AtomicInteger();

	private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();

	private final EngineRuntime runtime;

	Tally(EngineRuntime runtime) {
		this.runtime = runtime;
	}

	void begin() {
		this.count.incrementAndGet();
	}

	void end() {
		if (this.count.decrementAndGet() == 0 && !this.waiting.isEmpty()) {
			this.waiting.forEach(this.runtime::unpark);
		}
	}

	// Counts a task until it has run, unless there can be no thread for it
	void execute(Executor executor, Runnable task) {
		begin();
		boolean accepted = false;
		try {
			executor.execute(() -> {
				try {
					task.run();
				}
				finally {
					end();
				}
			});
			accepted = true;
		}
		finally {
			if (!accepted) {
				end();
			}
		}
	}

	int count() {
		return this.count.get();
	}

	void awaitNone(Duration atMost) {
		awaitNone(atMost, () -> false);
	}

	// An interrupt is kept until the wait is over
	void awaitNoneUninterruptibly(Duration atMost, BooleanSupplier enough) {
		long left = MonotonicClock.toNanos(atMost);
		long end = this.runtime.nanos() + left;
		boolean interrupted = Thread.interrupted();
		while (this.count.get() > 0 && left > 0 && !enough.getAsBoolean()) {
			awaitNone(Duration.ofNanos(left), enough);
			interrupted |= Thread.interrupted();
			left = end - this.runtime.nanos();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	// An interrupt ends the wait as well
	void awaitNone(Duration atMost, BooleanSupplier enough) {
		long end = this.runtime.nanos() + MonotonicClock.toNanos(atMost);
		this.waiting.add(Thread.currentThread());
		try {
			long left = end - this.runtime.nanos();
			while (this.count.get() > 0 && left > 0 && !Thread.currentThread().isInterrupted()
					&& !enough.getAsBoolean()) {
				this.runtime.park(this, Math.min(left, LONGEST_SLEEP));
				left = end - this.runtime.nanos();
			}
		}
		finally {
			this.waiting.remove(Thread.currentThread());
		}
	}

}
