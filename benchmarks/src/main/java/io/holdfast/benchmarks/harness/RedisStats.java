package io.holdfast.benchmarks.harness;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What Redis has done since it was started.
 *
 * @param commands commands, those inside scripts included
 * @param scripts calls of scripts
 * @param cpuSeconds CPU time of the server
 */
record RedisStats(long commands, long scripts, double cpuSeconds) {

	private static final Set<String> SCRIPT_CALLS = Set.of("cmdstat_eval", "cmdstat_evalsha", "cmdstat_eval_ro",
			"cmdstat_evalsha_ro", "cmdstat_fcall", "cmdstat_fcall_ro");

	/**
	 * Read the answer to {@code INFO all}.
	 */
	static RedisStats parse(String info) {
		Map<String, String> values = new TreeMap<>();
		info.lines().filter((line) -> line.contains(":")).forEach((line) -> {
			int colon = line.indexOf(':');
			values.put(line.substring(0, colon), line.substring(colon + 1));
		});
		return new RedisStats(Long.parseLong(values.getOrDefault("total_commands_processed", "0")),
				SCRIPT_CALLS.stream().mapToLong((name) -> calls(values.getOrDefault(name, "calls=0,"))).sum(),
				Double.parseDouble(values.getOrDefault("used_cpu_user", "0"))
						+ Double.parseDouble(values.getOrDefault("used_cpu_sys", "0")));
	}

	private static long calls(String statistics) {
		return Long.parseLong(statistics.substring("calls=".length(), statistics.indexOf(',')));
	}

	/**
	 * Return what was done since an earlier look, without the question that the earlier
	 * look was.
	 */
	RedisStats since(RedisStats earlier) {
		return new RedisStats(Math.max(0, this.commands - earlier.commands - 1), this.scripts - earlier.scripts,
				this.cpuSeconds - earlier.cpuSeconds);
	}

}
