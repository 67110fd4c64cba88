package io.holdfast.benchmarks.worker;

import java.util.ArrayList;
import java.util.List;

import io.holdfast.benchmarks.contender.LockClient;
import org.HdrHistogram.Histogram;

/**
 * What one thread does until the window is over, and what it sees. An operation counts
 * when it is finished in the window. Its latency counts when it is finished after the
 * start of the window, so that nobody's long wait is left out because it was not over at
 * the end.
 */
abstract class Loop implements Runnable {

	private final Histogram latencies = Histograms.create();

	private final List<Turn> turns = new ArrayList<>();

	private final LockClient client;

	private final String key;

	private final Window window;

	private long operations;

	private long allOperations;

	Loop(LockClient client, String key, Window window) {
		this.client = client;
		this.key = key;
		this.window = window;
	}

	@Override
	public final void run() {
		try {
			while (!this.window.isOver()) {
				operate();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void operate() throws InterruptedException {
		long asked = System.nanoTime();
		LockClient.HeldLock lock = this.client.acquire(this.key);
		long acquired = System.nanoTime();
		whileHeld();
		long released = System.nanoTime();
		lock.release();
		long finished = System.nanoTime();
		record(asked, acquired, released, finished);
		afterRelease();
	}

	private void record(long asked, long acquired, long released, long finished) {
		this.allOperations++;
		if (this.window.contains(finished)) {
			this.operations++;
		}
		if (this.window.hasBegunBy(finished)) {
			this.latencies.recordValue(latency(asked, acquired, finished));
			if (keepsTurns()) {
				this.turns.add(new Turn(asked, acquired, released));
			}
		}
	}

	/**
	 * Do what the lock is held for.
	 */
	abstract void whileHeld();

	/**
	 * Return the time that is of interest.
	 */
	abstract long latency(long asked, long acquired, long finished);

	void afterRelease() {
	}

	boolean keepsTurns() {
		return false;
	}

	/**
	 * Return what this thread has seen, without CPU time.
	 */
	final WorkerResult result() {
		return new WorkerResult(this.operations, this.allOperations, 0, this.latencies, this.turns);
	}

}
