package io.holdfast.benchmarks;

import java.time.Duration;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

/**
 * What is the same for all contenders.
 *
 * @param port port of the server on this machine
 * @param threads how many threads use the client
 * @param renewing whether leases must be renewed, also by contenders that have to be told
 */
record ClientSettings(int port, int threads, boolean renewing) {

	static final String HOST = "127.0.0.1";

	static final String DATABASE = "postgres";

	static final Duration LEASE = Duration.ofSeconds(30);

	static String databaseUrl(int port) {
		return "jdbc:postgresql://%s:%d/%s".formatted(HOST, port, DATABASE);
	}

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
