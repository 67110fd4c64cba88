package io.holdfast.benchmarks;

import java.util.regex.Pattern;

import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;

/**
 * A Redis.
 */
final class RedisServer implements Server {

	private final RedisProcess redis = new RedisProcess();

	private final Jedis jedis;

	RedisServer() {
		this.redis.start();
		this.jedis = this.redis.connect();
	}

	@Override
	public int port() {
		return this.redis.port();
	}

	@Override
	public void clear() {
		this.jedis.flushAll();
	}

	@Override
	public long count(String... keys) {
		return this.jedis.exists(keys);
	}

	@Override
	public Stats stats() {
		String info = this.jedis.info("all");
		String script = "cmdstat_(?:eval|fcall)[a-z_]*:calls=";
		return new Stats(sum(info, "total_commands_processed:"), sum(info, script), sum(info, script + "[0-9]+,usec="),
				sum(info, "used_cpu_(?:sys|user):"));
	}

	private static double sum(String info, String start) {
		return Pattern.compile("^" + start + "([0-9.]+)", Pattern.MULTILINE)
			.matcher(info)
			.results()
			.mapToDouble((found) -> Double.parseDouble(found.group(1)))
			.sum();
	}

	@Override
	public void close() {
		this.jedis.close();
		this.redis.close();
	}

}
