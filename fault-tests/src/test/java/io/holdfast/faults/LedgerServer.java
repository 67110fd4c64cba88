package io.holdfast.faults;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.holdfast.faults.history.History;
import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;

/**
 * The ledger's server, to which nothing happens.
 */
final class LedgerServer {

	static final List<String> KEYS = List.of("hot", "long-1", "long-2", "warm");

	final RedisProcess redis = new RedisProcess();

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
			List<History.Entry> entries = jedis.lrange("entries", 0, -1)
				.stream()
				.map((line) -> line.split(" "))
				.map((parts) -> new History.Entry(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2])))
				.toList();
			jedis.del("entries");
			return entries;
		}
	}

}
