package io.holdfast.faults.fault;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.params.ClientKillParams;

/**
 * Applications that have subscribed to channels of a server.
 */
final class Subscribers {

	/**
	 * How the names of the connections of Sentinels begin.
	 */
	private static final String SENTINEL = "sentinel-";

	private Subscribers() {
	}

	/**
	 * Kill their connections.
	 * @return how many
	 */
	static long kill(RedisProcess redis) {
		try (Jedis jedis = redis.connect()) {
			return ids(jedis.clientList(ClientType.PUBSUB)).stream()
				.mapToLong((id) -> jedis.clientKill(ClientKillParams.clientKillParams().id(id)))
				.sum();
		}
		catch (JedisConnectionException ex) {
			return 0;
		}
	}

	/**
	 * Return the numbers of all in a list but those of Sentinels.
	 */
	static List<String> ids(String list) {
		return list.lines()
			.map(Subscribers::properties)
			.filter((client) -> !client.getOrDefault("name", "").startsWith(SENTINEL))
			.map((client) -> client.getOrDefault("id", ""))
			.toList();
	}

	private static Map<String, String> properties(String line) {
		return Arrays.stream(line.split(" "))
			.map((property) -> property.split("=", 2))
			.collect(Collectors.toMap((property) -> property[0], (property) -> property[1]));
	}

}
