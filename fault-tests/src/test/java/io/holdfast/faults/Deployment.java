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

	List<String> properties();

	List<RedisProcess> masters();

	default RedisProcess server(int index) {
		return masters().get(index % masters().size());
	}

	default boolean hasStandIns() {
		return false;
	}

	default void awaitWell() {
	}

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
