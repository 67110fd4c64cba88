package io.holdfast.benchmarks.worker;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a worker, each with a loop of its own.
 */
final class Crew {

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

	private final List<Thread> threads;

	Crew(List<? extends Runnable> loops) {
		this.threads = loops.stream().map(this::thread).toList();
		this.threads.forEach(Thread::start);
	}

	private Thread thread(Runnable loop) {
		Thread thread = new Thread(loop, "benchmark");
		thread.setDaemon(true);
		thread.setUncaughtExceptionHandler((ignored, failure) -> this.failures.add(failure));
		return thread;
	}

	/**
	 * Wait until all are done.
	 * @throws IllegalStateException when one has failed, or does not come back
	 */
	void join() throws InterruptedException {
		long start = System.nanoTime();
		for (Thread thread : this.threads) {
			long left = LIMIT.toNanos() - (System.nanoTime() - start);
			TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(left, 1_000_000));
		}
		if (!this.failures.isEmpty()) {
			throw new IllegalStateException(this.failures.size() + " threads failed, the first one as follows",
					this.failures.peek());
		}
		if (this.threads.stream().anyMatch(Thread::isAlive)) {
			throw new IllegalStateException("A thread still waits for the lock, a minute after the window closed");
		}
	}

}
