package io.holdfast.benchmarks.worker;

import io.holdfast.benchmarks.contender.LockClient;

/**
 * Acquires and releases a key that all want, and times the wait for it.
 */
final class OneKeyLoop extends Loop {

	private final SharedCounter counter;

	OneKeyLoop(LockClient client, String key, Window window, SharedCounter counter) {
		super(client, key, window);
		this.counter = counter;
	}

	@Override
	void whileHeld() {
		this.counter.increment();
	}

	@Override
	long latency(long asked, long acquired, long finished) {
		return acquired - asked;
	}

}
