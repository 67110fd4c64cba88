package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Where locks are, by one of the Redis clients: one server at a time, or a Cluster.
 */
interface LockServers {

	/**
	 * How long no connection is made to a server after an attempt has failed.
	 */
	Duration CONNECTING_PAUSE = Duration.ofMillis(300);

	/**
	 * How seldom a server is left that says that it is not the master, and a Cluster
	 * asked for its nodes.
	 */
	Duration LEAVING_PAUSE = Duration.ofSeconds(1);

	/**
	 * An attempt to connect that has failed. The next one waits for a pause.
	 */
	record FailedAttempt(Throwable cause, long startedAt) {

		/**
		 * Return for how many nanoseconds the pause lasts; zero or less if it is over.
		 */
		long pause() {
			return this.startedAt + CONNECTING_PAUSE.toNanos() - System.nanoTime();
		}

	}

	/**
	 * Ask the server that has a key or, without one, over a connection that no other
	 * caller uses meanwhile, which a Cluster cannot. Interrupts are put off, unless they
	 * may end it. Jedis cannot end the wait for an answer, except that an interrupt of a
	 * virtual thread always does.
	 */
	<T extends @Nullable Object> T ask(byte @Nullable [] key, boolean interruptible,
			Function<LockConnection, T> question);

	RedisConnection connection();

	RedisConnection subscriptionConnection();

	void close();

	/**
	 * Repeat a step that an interrupt has ended, unless it may end it, and keep the
	 * interrupt.
	 */
	static <T extends @Nullable Object> T putOffInterrupts(boolean interruptible, Supplier<T> step) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return step.get();
				}
				catch (RuntimeException ex) {
					if (interruptible || !RedisFailures.isInterrupt(ex)) {
						throw ex;
					}
					Thread.interrupted();
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
