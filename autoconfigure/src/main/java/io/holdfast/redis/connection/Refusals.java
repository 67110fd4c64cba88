package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.springframework.data.redis.RedisConnectionFailureException;

/**
 * What follows when a server answers that it is not the master: callers ask it one after
 * the other, by one connection, until it answers otherwise. That connection is left once
 * in a while, as another one may lead to the master.
 */
final class Refusals {

	private static final Duration LEAVING_PAUSE = LockServers.LEAVING_PAUSE;

	private static final int STEPS = 10;

	private final RateLimit departures = new RateLimit(LEAVING_PAUSE);

	private final ReentrantLock turn = new ReentrantLock();

	private volatile boolean refused;

	// Wait for callers that asked before, but not long where the server hangs. If this
	// process stands still, that counts as one step
	void beginAsking() {
		try {
			boolean waits = this.refused && !this.turn.isHeldByCurrentThread();
			for (int step = 0; waits && step < STEPS; step++) {
				waits = !this.turn.tryLock(LEAVING_PAUSE.toNanos() / STEPS, TimeUnit.NANOSECONDS);
			}
		}
		catch (InterruptedException ex) {
			throw new RedisConnectionFailureException("Interrupted while others ask", ex);
		}
	}

	void endAsking() {
		if (this.turn.isHeldByCurrentThread()) {
			this.turn.unlock();
		}
	}

	void answered() {
		if (this.refused) {
			this.refused = false;
		}
	}

	boolean leaveAfter(RuntimeException failure) {
		if (!RedisFailures.isNotMaster(failure)) {
			return false;
		}
		this.refused = true;
		return this.departures.tryAcquire();
	}

}
