package io.holdfast.faults.harness;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.holdfast.faults.history.History;
import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;

/**
 * The ledger's server, to which nothing happens.
 */
final class LedgerServer implements AutoCloseable {

	static final List<String> KEYS = List.of("hot", "long-1", "long-2", "warm");

	private final RedisProcess redis = new RedisProcess();

	void start() {
		this.redis.start();
	}

	int port() {
		return this.redis.port();
	}

	/**
	 * Return the numbers it has now.
	 */
	Map<String, Long> counts() {
		Map<String, Long> counts = new TreeMap<>();
		try (Jedis jedis = this.redis.connect()) {
			for (String key : KEYS) {
				String count = jedis.hget(key, "count");
				counts.put(key, (count != null) ? Long.parseLong(count) : 0);
			}
		}
		return counts;
	}

	/**
	 * Return what it has accepted since the last call.
	 */
	List<History.Entry> takeEntries() {
		try (Jedis jedis = this.redis.connect()) {
			List<History.Entry> entries = jedis.lrange("entries", 0, -1).stream().map(LedgerServer::entry).toList();
			jedis.del("entries");
			return entries;
		}
	}

	private static History.Entry entry(String line) {
		String[] parts = line.split(" ");
		return new History.Entry(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2]));
	}

	@Override
	public void close() {
		this.redis.close();
	}

}
