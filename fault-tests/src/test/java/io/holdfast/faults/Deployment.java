package io.holdfast.faults;

import java.time.Duration;
import java.util.List;

import io.holdfast.test.RedisProcess;

/**
 * Redis servers, run in one of the ways in which they can keep locks.
 */
interface Deployment extends AutoCloseable {

	void start();

	@Override
	void close();

	/**
	 * Return the properties by which an application finds them.
	 */
	List<String> properties();

	/**
	 * Return the servers that have locks now.
	 */
	List<RedisProcess> masters();

	/**
	 * Return a server to which something may happen.
	 * @param index which one, where several have the same locks
	 */
	default RedisProcess server(int index) {
		return masters().get(index % masters().size());
	}

	/**
	 * Return whether others stand in for a server that something happens to.
	 */
	default boolean hasStandIns() {
		return false;
	}

	/**
	 * Wait until nothing of what has happened is left.
	 */
	default void awaitWell() {
	}

	/**
	 * Return how often another server has become the master.
	 */
	default long failovers() {
		return 0;
	}

	/**
	 * Return how much later than it should an acquisition may end: by the time for which
	 * the client tries to reach Redis (here for two timeouts), and some for a machine
	 * that is busy.
	 */
	default Duration slack() {
		return Duration.ofMillis(1500);
	}

}
