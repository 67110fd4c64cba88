package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.springframework.data.redis.RedisConnectionFailureException;

/**
 * Answers of a server that it is not the master. After one, callers ask one after the
 * other, by one connection, which is left once in a while: another one may lead to the
 * master. That ends when a request is answered otherwise.
 */
final class Refusals {

	private static final Duration LEAVING_PAUSE = LockServers.LEAVING_PAUSE;

	private static final int STEPS = 10;

	private final Pause leaving = new Pause(LEAVING_PAUSE);

	private final ReentrantLock turn = new ReentrantLock();

	private volatile boolean any;

	// Wait for those that ask before, but not long where the server hangs. While this
	// process stands still, one step passes
	void beginAsking() {
		try {
			boolean waits = this.any && !this.turn.isHeldByCurrentThread();
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
		if (this.any) {
			this.any = false;
		}
	}

	// Return whether a failure is one that shows that the connection is to be left now
	boolean isToLeave(RuntimeException failure) {
		if (!RedisFailures.isNotMaster(failure)) {
			return false;
		}
		this.any = true;
		return this.leaving.isOver();
	}

}
