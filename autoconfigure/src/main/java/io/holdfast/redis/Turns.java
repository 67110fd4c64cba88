package io.holdfast.redis;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.PoolException;

/**
 * Lets few have a connection at one time, so that some of a pool are left.
 */
final class Turns {

	private final Semaphore turns;

	private final int most;

	private final Duration patience;

	Turns(int most, Duration patience) {
		this.turns = new Semaphore(most);
		this.most = most;
		this.patience = patience;
	}

	/**
	 * Wait for a turn, which the caller has to {@link #end}.
	 * @throws PoolException when none comes in time
	 * @throws RedisConnectionFailureException when the thread is interrupted
	 */
	void await() {
		try {
			if (!this.turns.tryAcquire(this.patience.toMillis(), TimeUnit.MILLISECONDS)) {
				throw new PoolException(
						"None of the %d connections to get locks with was free for %d ms (holdfast.redis.pool.max-active)"
							.formatted(this.most, this.patience.toMillis()));
			}
		}
		catch (InterruptedException ex) {
			throw new RedisConnectionFailureException("Interrupted while waiting for a connection", ex);
		}
	}

	void end() {
		this.turns.release();
	}

}
