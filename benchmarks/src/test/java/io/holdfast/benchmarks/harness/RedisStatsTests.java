package io.holdfast.benchmarks.harness;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisStats}.
 */
class RedisStatsTests {

	private static final String INFO = """
			# Stats\r
			total_commands_processed:%d\r
			# CPU\r
			used_cpu_sys:1.5\r
			used_cpu_user:%s\r
			used_cpu_user_children:70\r
			# Commandstats\r
			cmdstat_get:calls=100,usec=1\r
			cmdstat_eval:calls=2,usec=1\r
			cmdstat_evalsha:calls=%d,usec=7,usec_per_call=3.5\r
			""";

	@Test
	void tellWhatWasDoneInBetweenWithoutTheQuestionItself() {
		RedisStats before = RedisStats.parse(INFO.formatted(100, "0.25", 5));
		RedisStats after = RedisStats.parse(INFO.formatted(151, "0.75", 12));
		assertThat(after.since(before)).isEqualTo(new RedisStats(50, 7, 0.5));
	}

	@Test
	void areZeroWhereNothingHasHappened() {
		assertThat(RedisStats.parse("total_commands_processed:0")).isEqualTo(new RedisStats(0, 0, 0));
	}

}
