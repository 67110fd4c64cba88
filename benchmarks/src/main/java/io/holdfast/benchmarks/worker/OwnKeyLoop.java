package io.holdfast.benchmarks.worker;

import io.holdfast.benchmarks.contender.LockClient;

/**
 * Acquires and releases a key that nobody else wants, and times both together.
 */
final class OwnKeyLoop extends Loop {

	OwnKeyLoop(LockClient client, String key, Window window) {
		super(client, key, window);
	}

	@Override
	void whileHeld() {
	}

	@Override
	long latency(long asked, long acquired, long finished) {
		return finished - asked;
	}

}
