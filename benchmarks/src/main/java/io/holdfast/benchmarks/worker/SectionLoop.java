package io.holdfast.benchmarks.worker;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.benchmarks.contender.LockClient;

/**
 * Acquires a key that all want, holds it for some time, and asks for it again at once.
 * Keeps a log, which says for how long the lock was held by any thread.
 */
final class SectionLoop extends Loop {

	private static final long SECTION = Duration.ofMillis(1).toNanos();

	private final SharedCounter counter;

	SectionLoop(LockClient client, String key, Window window, SharedCounter counter) {
		super(client, key, window);
		this.counter = counter;
	}

	@Override
	void whileHeld() {
		this.counter.increment();
		LockSupport.parkNanos(SECTION);
	}

	@Override
	long latency(long asked, long acquired, long finished) {
		return acquired - asked;
	}

	@Override
	boolean keepsTurns() {
		return true;
	}

}
