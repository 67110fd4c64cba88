package io.holdfast.benchmarks.harness;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.benchmarks.contender.ClientSettings;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

import io.holdfast.benchmarks.worker.Histograms;

/**
 * The Redis that all contenders use. It is emptied before each measurement.
 */
public final class RedisServer implements AutoCloseable {

	private static final int PINGS = 2000;

	private final int port;

	private final @Nullable EmbeddedRedis embedded;

	private RedisServer(int port, @Nullable EmbeddedRedis embedded) {
		this.port = port;
		this.embedded = embedded;
	}

	/**
	 * Use the Redis on a port.
	 * @param port the port, or 0 to start one
	 * @return the Redis
	 * @throws IllegalStateException when there is something in it
	 */
	public static RedisServer open(int port) {
		if (port == 0) {
			EmbeddedRedis embedded = EmbeddedRedis.start();
			return new RedisServer(embedded.port(), embedded);
		}
		RedisServer server = new RedisServer(port, null);
		long keys = server.ask(Jedis::dbSize);
		if (keys > 0) {
			throw new IllegalStateException(
					"The Redis on port %d has %d keys. The benchmarks empty the Redis they use: ".formatted(port, keys)
							+ "give them one that is empty, or none to have one started");
		}
		return server;
	}

	public int port() {
		return this.port;
	}

	/**
	 * Delete everything.
	 */
	public void flush() {
		ask(Jedis::flushAll);
	}

	RedisStats stats() {
		return RedisStats.parse(ask((jedis) -> jedis.info("all")));
	}

	/**
	 * Return the version of the server.
	 * @return the version
	 */
	public String version() {
		return ask((jedis) -> jedis.info("server")).lines()
			.filter((line) -> line.startsWith("redis_version:"))
			.map((line) -> line.substring(line.indexOf(':') + 1))
			.collect(Collectors.joining());
	}

	/**
	 * Return how much memory the server uses, in bytes.
	 * @return the memory
	 */
	public long usedMemory() {
		return ask((jedis) -> jedis.info("memory")).lines()
			.filter((line) -> line.startsWith("used_memory:"))
			.mapToLong((line) -> Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
			.sum();
	}

	/**
	 * Return the median time of a PING over a connection of its own, in microseconds.
	 */
	double roundTrip() {
		return ask((jedis) -> {
			pingAll(jedis);
			return Micros.of(pingAll(jedis).getValueAtPercentile(50));
		});
	}

	private static Histogram pingAll(Jedis jedis) {
		Histogram times = Histograms.create();
		for (int i = 0; i < PINGS; i++) {
			long start = System.nanoTime();
			jedis.ping();
			times.recordValue(System.nanoTime() - start);
		}
		return times;
	}

	long countExisting(List<String> keys) {
		return ask((jedis) -> jedis.exists(keys.toArray(String[]::new)));
	}

	private <T> T ask(Function<Jedis, T> question) {
		try (Jedis jedis = new Jedis(ClientSettings.HOST, this.port)) {
			return question.apply(jedis);
		}
	}

	@Override
	public void close() {
		if (this.embedded != null) {
			this.embedded.close();
		}
	}

}
