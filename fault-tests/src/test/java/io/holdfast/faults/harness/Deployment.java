package io.holdfast.faults.harness;

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

}
