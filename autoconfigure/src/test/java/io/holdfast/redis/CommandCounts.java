package io.holdfast.redis;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;

/**
 * How often a server has carried out which commands, those inside scripts included.
 *
 * @param calls the number of calls, by command
 */
record CommandCounts(Map<String, Long> calls) {

	private static final Pattern CALLS = Pattern.compile("cmdstat_([^:]+):calls=(\\d+),");

	static CommandCounts of(RedisProcess server) {
		return server.ask((jedis) -> of(jedis));
	}

	static CommandCounts of(Jedis server) {
		Map<String, Long> calls = new TreeMap<>();
		Matcher matcher = CALLS.matcher(server.info("commandstats"));
		while (matcher.find()) {
			calls.put(matcher.group(1), Long.parseLong(matcher.group(2)));
		}
		return new CommandCounts(calls);
	}

	CommandCounts since(CommandCounts earlier) {
		Map<String, Long> later = new TreeMap<>();
		this.calls.forEach((command, count) -> later.put(command, count - earlier.of(command)));
		return new CommandCounts(later);
	}

	long of(String command) {
		return this.calls.getOrDefault(command, 0L);
	}

	long scripts() {
		return of("evalsha");
	}

	/**
	 * Return all commands that are about locks: not the looks at the server, nor those by
	 * which clients introduce themselves, nor messages, some of which instances send to
	 * themselves.
	 */
	long all() {
		return this.calls.entrySet()
			.stream()
			.filter((entry) -> !entry.getKey().matches("info|hello|client.*|.*subscribe|publish|eval"))
			.mapToLong(Map.Entry::getValue)
			.sum();
	}

}
