package io.holdfast.benchmarks;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests that the benchmarks run, and that each contender's lock excludes. How fast
 * anything is does not matter here.
 */
class BenchmarksSmokeTests {

	private static final String[] TINY = { "warmup=0.05", "measure=0.2", "rounds=1", "held=20" };

	@Test
	void everyContenderIsMeasured() {
		assertThat(rows("scenarios=b16")).hasSize(2 + 6)
			.anySatisfy((row) -> assertThat(row)
				.startsWith("| b16: one key, 16 threads in one JVM | Spring Integration (pub/sub) | "));
	}

	@Test
	void severalJvmsAndHeldLocksAreMeasured() {
		assertThat(rows("contenders=holdfast-jedis", "scenarios=d,e,first")).hasSize(2 + 3)
			.anySatisfy((row) -> assertThat(row).startsWith("| d: hand-over between two JVMs | Holdfast (Jedis) | "));
	}

	@Test
	void locksInDatabaseAreMeasured() throws Exception {
		assumeTrue(
				!System.getProperty("user.name").equals("root")
						|| new ProcessBuilder("unshare", "-U", "true").start().waitFor() == 0,
				"PostgreSQL refuses to run as root, which nothing can hide from it on this machine");
		assertThat(rows("server=postgresql", "scenarios=b16")).hasSize(2 + 4)
			.anySatisfy(
					(row) -> assertThat(row).startsWith("| b16: one key, 16 threads in one JVM | Holdfast (JDBC) | "));
	}

	private static List<String> rows(String... options) {
		String[] all = Stream.of(TINY, options).flatMap(Stream::of).toArray(String[]::new);
		Benchmarks benchmarks = Benchmarks.run(all);
		assertThat(benchmarks.failures()).isEmpty();
		return benchmarks.table().toString().lines().toList();
	}

}
