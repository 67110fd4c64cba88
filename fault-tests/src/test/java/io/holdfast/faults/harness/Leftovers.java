package io.holdfast.faults.harness;

import java.util.ArrayList;
import java.util.List;

import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/**
 * What is left in Redis when nobody works: nothing that would stay there for ever.
 */
final class Leftovers {

	private Leftovers() {
	}

	/**
	 * Return what should not be there, each in a sentence.
	 */
	static List<String> violations(List<RedisProcess> servers) {
		return servers.stream().flatMap((server) -> violations(server).stream()).toList();
	}

	private static List<String> violations(RedisProcess server) {
		List<String> violations = new ArrayList<>();
		try (Jedis jedis = server.connect()) {
			for (String key : keys(jedis)) {
				if (!key.startsWith("holdfast:")) {
					violations.add("The foreign key '%s' is left".formatted(key));
				}
				else if (jedis.pttl(key) == -1) {
					violations.add("The key '%s' is left without an expiry".formatted(key));
				}
			}
		}
		return violations;
	}

	private static List<String> keys(Jedis jedis) {
		List<String> keys = new ArrayList<>();
		ScanResult<String> step = jedis.scan(ScanParams.SCAN_POINTER_START);
		keys.addAll(step.getResult());
		while (!step.isCompleteIteration()) {
			step = jedis.scan(step.getCursor());
			keys.addAll(step.getResult());
		}
		return keys;
	}

}
