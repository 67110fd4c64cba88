package io.holdfast.benchmarks.worker;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.benchmarks.contender.LockClient;

/**
 * Holds a key that another JVM wants as well for longer than it pauses afterwards, so
 * that the other one waits for most releases. Keeps a log, because neither JVM alone can
 * tell how long a hand-over takes.
 */
final class HandOverLoop extends Loop {

	private static final long HOLD = Duration.ofMillis(2).toNanos();

	private static final long SHORTEST_PAUSE = Duration.ofNanos(200_000).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofMillis(1).toNanos();

	private final SharedCounter counter;

	HandOverLoop(LockClient client, String key, Window window, SharedCounter counter) {
		super(client, key, window);
		this.counter = counter;
	}

	@Override
	void whileHeld() {
		this.counter.increment();
		LockSupport.parkNanos(HOLD);
	}

	@Override
	long latency(long asked, long acquired, long finished) {
		return acquired - asked;
	}

	@Override
	void afterRelease() {
		LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE, LONGEST_PAUSE));
	}

	@Override
	boolean keepsTurns() {
		return true;
	}

}
