package io.holdfast.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.holdfast.test.JavaCommand;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Several JVMs count up the same numbers, by reading and writing: if two were ever in the
 * guarded section at once, some of the counts would be lost. Runs longer with
 * {@code -Dholdfast.exclusion.seconds=60}.
 */
@Tag("depends-on-jdk")
@Tag("slow")
class ExclusionTests {

	private static final int JVMS = 2;

	private static final int THREADS = 4;

	private static final int SECONDS = Integer.getInteger("holdfast.exclusion.seconds", 2);

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	@Test
	void noUpdateIsLostAndTokensGrow() throws Exception {
		List<Process> workers = new ArrayList<>();
		for (int seed = 0; seed < JVMS; seed++) {
			workers.add(worker(seed));
		}
		long done = 0;
		for (Process worker : workers) {
			String output = new String(worker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			assertThat(worker.waitFor()).as(output).isZero();
			done += Long.parseLong(output.lines().reduce((line, next) -> next).orElseThrow());
		}
		try (Jedis jedis = redis.connect()) {
			long counted = 0;
			for (String key : ExclusionWorker.KEYS) {
				counted += Long.parseLong(jedis.get("count:" + key));
			}
			assertThat(counted).isEqualTo(done).isPositive();
			await().untilAsserted(() -> assertThat(jedis.keys("holdfast:*")).as("nothing but tokens is left")
				.containsExactlyInAnyOrder("holdfast:{hot}:token", "holdfast:{warm}:token"));
		}
		System.out.printf("%d JVMs of %d threads counted to %d in %d s%n", JVMS, THREADS, done, SECONDS);
	}

	private static Process worker(int seed) throws IOException {
		List<String> command = JavaCommand.shortLived("-Xmx256m", ExclusionWorker.class.getName());
		IntStream.of(redis.port(), THREADS, SECONDS, seed).mapToObj(Integer::toString).forEach(command::add);
		ProcessBuilder builder = new ProcessBuilder(command);
		builder.environment().putAll(Map.of("CLASSPATH", System.getProperty("java.class.path")));
		return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
	}

}
