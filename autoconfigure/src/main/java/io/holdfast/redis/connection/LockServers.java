package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * The servers that keep locks: one at a time, or the nodes of a Cluster.
 */
interface LockServers {

	Duration CONNECTING_PAUSE = Duration.ofMillis(300);

	// Between two times that a server is left that is not the master, or that a Cluster
	// is asked for its nodes
	Duration LEAVING_PAUSE = Duration.ofSeconds(1);

	record FailedAttempt(Throwable cause, long startedAt) {

		// In nanoseconds; zero or less when the next attempt may begin
		long pause() {
			return this.startedAt + CONNECTING_PAUSE.toNanos() - System.nanoTime();
		}

	}

	/**
	 * Ask the server that has a key or, without one, which a Cluster cannot, over a
	 * connection that no other caller uses meanwhile. If it is not interruptible, an
	 * interrupt waits for the answer. With Jedis it always does, except on a virtual
	 * thread, where it always ends the wait.
	 */
	<T extends @Nullable Object> T ask(byte @Nullable [] key, boolean interruptible,
			Function<LockConnection, T> question);

	RedisConnection connection();

	RedisConnection subscriptionConnection();

	void close();

	// Repeats a step that an interrupt has ended, and sets the interrupt again
	// afterwards, unless the step may be interrupted
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
