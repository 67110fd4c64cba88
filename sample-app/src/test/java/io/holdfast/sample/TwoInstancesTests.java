package io.holdfast.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for two processes that sell the same product.
 */
class TwoInstancesTests {

	private final int redisPort = FreePort.find();

	private final int firstPort = FreePort.find();

	private final int secondPort = FreePort.find();

	@Test
	void sellNothingTwiceUnderTheLock(@TempDir Path directory) throws IOException {
		// Both at the same moment, so that they race for Redis and for the database
		try (SampleProcess first = start(directory, this.firstPort);
				SampleProcess second = start(directory, this.secondPort)) {
			RestClient one = first.awaitClient(this.firstPort);
			RestClient other = second.awaitClient(this.secondPort);
			assertThat(first.output() + second.output()).contains("(started by this application)",
					"(found, started by another instance)");

			assertThat(sell(one, other, true)).isEqualTo(50);
			assertThat(sell(one, other, false)).isGreaterThan(50);
		}
		assertThat(EmbeddedRedis.answers(this.redisPort)).isFalse();
	}

	private SampleProcess start(Path directory, int port) throws IOException {
		return SampleProcess.start(directory, this.redisPort, "--server.port=" + port);
	}

	/**
	 * Begin a sale with one buyer, let 100 of each instance join, and return how many
	 * bought.
	 */
	private static int sell(RestClient one, RestClient other, boolean locked) {
		RushResult beginning = SampleProcess.run(one, "buyers=1&locked=" + locked);
		String query = "buyers=100&restock=false&locked=" + locked;
		CompletableFuture<RushResult> others = CompletableFuture.supplyAsync(() -> SampleProcess.run(other, query));
		List<RushResult> results = List.of(beginning, SampleProcess.run(one, query), others.join());
		assertThat(results).allSatisfy((result) -> assertThat(result.failed()).isZero());
		return results.stream().mapToInt(RushResult::bought).sum();
	}

}
