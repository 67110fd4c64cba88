package io.holdfast.faults.harness;

import java.time.Duration;
import java.util.List;

import io.holdfast.test.RedisProcess;
import io.holdfast.test.TestServer;

/**
 * Redis servers, run in one of the ways in which they can keep locks.
 */
public interface Deployment extends TestServer {

	/**
	 * Return the properties by which an application finds them.
	 */
	List<String> properties();

	/**
	 * Return the servers that have locks now.
	 */
	List<RedisProcess> masters();

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
