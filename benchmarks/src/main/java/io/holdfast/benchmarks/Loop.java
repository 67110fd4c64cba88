package io.holdfast.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import org.HdrHistogram.Histogram;

/**
 * What one thread does until the window is over, and what it sees. An operation counts
 * when it is finished in the window. Its latency counts when it is finished after the
 * start of the window, so that a long wait is not left out because it was not over at the
 * end.
 */
final class Loop implements Callable<Measured> {

	private final Histogram latencies = Measured.histogram();

	private final Scenario scenario;

	private final LockClient client;

	private final String key;

	private final int worker;

	private final Window window;

	private final SharedMemory memory;

	private long operations;

	private long allOperations;

	private long heldNanos;

	Loop(Scenario scenario, LockClient client, String key, int worker, Window window, SharedMemory memory) {
		this.scenario = scenario;
		this.client = client;
		this.key = key;
		this.worker = worker;
		this.window = window;
		this.memory = memory;
	}

	@Override
	public Measured call() throws InterruptedException {
		do {
			operate();
			if (this.scenario == Scenario.D) {
				LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(200_000, 1_000_000));
			}
		}
		while (!this.window.isOver());
		return new Measured(this.operations, this.allOperations, 0, this.heldNanos, this.latencies);
	}

	private void operate() throws InterruptedException {
		long asked = System.nanoTime();
		Runnable release = this.client.acquire(this.key);
		long acquired = System.nanoTime();
		long handOver = handOver(asked, acquired);
		if (this.scenario.isOnOneKey()) {
			this.memory.increment();
			LockSupport.parkNanos(this.scenario.section().toNanos());
		}
		long released = System.nanoTime();
		if (this.scenario == Scenario.D) {
			this.memory.release(this.worker + 1, released);
		}
		release.run();
		record(asked, acquired, released, System.nanoTime(), handOver);
	}

	/**
	 * Return how long ago another worker has released the lock, or -1 when this one has,
	 * or did not wait for it.
	 */
	private long handOver(long asked, long acquired) {
		if (this.memory.lastHolder() == 0 || this.memory.lastHolder() == this.worker + 1) {
			return -1;
		}
		long last = this.memory.lastRelease();
		return (asked - last < 0) ? acquired - last : -1;
	}

	private void record(long asked, long acquired, long released, long finished, long handOver) {
		this.allOperations++;
		this.heldNanos += this.window.overlap(acquired, released);
		if (this.window.contains(finished)) {
			this.operations++;
		}
		long latency = (this.scenario == Scenario.D) ? handOver
				: (this.scenario.isOnOneKey() ? acquired : finished) - asked;
		if (this.window.hasBegunBy(finished) && latency >= 0) {
			this.latencies.recordValue(latency);
		}
	}

}
