package io.holdfast.benchmarks;

import java.util.regex.Pattern;

import redis.clients.jedis.Jedis;

/**
 * What Redis has done since it was started.
 *
 * @param commands commands, those inside scripts included
 * @param scripts calls of scripts
 * @param scriptMicros time in scripts, in microseconds
 * @param cpuSeconds CPU time of the server
 */
record RedisStats(double commands, double scripts, double scriptMicros, double cpuSeconds) {

	static RedisStats of(Jedis jedis) {
		String info = jedis.info("all");
		String script = "cmdstat_(?:eval|fcall)[a-z_]*:calls=";
		return new RedisStats(sum(info, "total_commands_processed:"), sum(info, script),
				sum(info, script + "[0-9]+,usec="), sum(info, "used_cpu_(?:sys|user):"));
	}

	private static double sum(String info, String start) {
		return Pattern.compile("^" + start + "([0-9.]+)", Pattern.MULTILINE)
			.matcher(info)
			.results()
			.mapToDouble((found) -> Double.parseDouble(found.group(1)))
			.sum();
	}

	RedisStats since(RedisStats earlier) {
		return new RedisStats(this.commands - earlier.commands, this.scripts - earlier.scripts,
				this.scriptMicros - earlier.scriptMicros, this.cpuSeconds - earlier.cpuSeconds);
	}

}
