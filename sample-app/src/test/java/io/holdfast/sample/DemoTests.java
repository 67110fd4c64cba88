package io.holdfast.sample;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the demo from the command line.
 */
class DemoTests {

	@Test
	void printsAnOversellWithoutTheLockAndNoneWithItAndStops(@TempDir Path directory)
			throws IOException, InterruptedException {
		int redisPort = FreePort.find();
		try (SampleProcess demo = SampleProcess.start(directory, redisPort, "--demo")) {
			assertThat(awaitResults(demo)).contains("Redis listens on localhost:" + redisPort);
		}
		assertThat(EmbeddedRedis.answers(redisPort)).isFalse();
	}

	@Test
	void needsNoRedisWithLocksInItsDatabase(@TempDir Path directory) throws IOException, InterruptedException {
		try (SampleProcess demo = SampleProcess.start(directory, FreePort.find(), "--demo", "--store=jdbc")) {
			assertThat(awaitResults(demo)).doesNotContain("Redis listens");
		}
	}

	private static String awaitResults(SampleProcess demo) throws IOException, InterruptedException {
		int exitCode = demo.awaitExit();
		assertThat(demo.output()).contains("Flash sale: 200 buyers, 50 in stock")
			.containsPattern("(?m)^lock +sold +oversold +waited p50 +waited p99$")
			.containsPattern("(?m)^no +\\d+ +[1-9]\\d* +- +-$")
			.containsPattern("(?m)^yes +50 +0 +[\\d.]+ ms +[\\d.]+ ms$");
		assertThat(exitCode).isZero();
		return demo.output();
	}

}
