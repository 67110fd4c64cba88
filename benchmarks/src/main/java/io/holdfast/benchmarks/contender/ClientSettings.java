package io.holdfast.benchmarks.contender;

import java.time.Duration;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

/**
 * What is the same for all contenders.
 *
 * @param port port of Redis on this machine
 * @param threads how many threads use the client
 * @param renewing whether leases must be renewed, also by contenders that have to be told
 * @param retaining whether locks stay with the client where it can do that
 */
public record ClientSettings(int port, int threads, boolean renewing, boolean retaining) {

	/**
	 * Create settings with which locks are given back when they are released.
	 * @param port port of Redis on this machine
	 * @param threads how many threads use the client
	 * @param renewing whether leases must be renewed
	 */
	public ClientSettings(int port, int threads, boolean renewing) {
		this(port, threads, renewing, false);
	}

	/**
	 * Where Redis is.
	 */
	public static final String HOST = "127.0.0.1";

	static final Duration LEASE = Duration.ofSeconds(30);

	/**
	 * A connection for each thread and some to listen with, but no fewer than Jedis has
	 * by default.
	 */
	int connections() {
		return Math.max(GenericObjectPoolConfig.DEFAULT_MAX_TOTAL, this.threads + 2);
	}

	/**
	 * A pool that keeps its connections: by default it would close all but eight whenever
	 * they are not used.
	 */
	<T> GenericObjectPoolConfig<T> pool() {
		GenericObjectPoolConfig<T> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(connections());
		pool.setMaxIdle(connections());
		return pool;
	}

}
