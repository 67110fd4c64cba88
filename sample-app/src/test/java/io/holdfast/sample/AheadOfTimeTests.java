package io.holdfast.sample;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the sample as the build has processed it ahead of time: its beans come from
 * generated code, and all conditions were evaluated in the build.
 */
class AheadOfTimeTests {

	@Test
	void sellsNothingTwiceUnderTheLock(@TempDir Path directory) throws IOException {
		int redisPort = FreePort.find();
		int port = FreePort.find();
		try (SampleProcess sample = SampleProcess.startProcessed(directory, redisPort, "--server.port=" + port)) {
			RestClient client = sample.awaitClient(port);
			assertThat(sample.output()).contains("Starting AOT-processed SampleApplication");
			assertThat(client.get().uri("/actuator/health").retrieve().body(String.class)).contains("\"locks\":{");

			RushResult locked = SampleProcess.run(client, "buyers=200&locked=true");
			assertThat(locked.failed()).isZero();
			assertThat(locked.sold()).isEqualTo(50);

			RushResult unlocked = SampleProcess.run(client, "buyers=200&locked=false");
			assertThat(unlocked.failed()).isZero();
			assertThat(unlocked.sold()).isGreaterThan(50);
		}
		assertThat(EmbeddedRedis.answers(redisPort)).isFalse();
	}

}
