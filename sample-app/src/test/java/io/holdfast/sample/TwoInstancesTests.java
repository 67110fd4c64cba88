package io.holdfast.sample;

import java.io.IOException;
import java.nio.file.Path;
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

			JointRush locked = JointRush.run(one, other, true);
			assertThat(locked.failed()).isZero();
			assertThat(locked.bought()).isEqualTo(50);
			assertThat(locked.sold()).isEqualTo(50);

			JointRush unlocked = JointRush.run(one, other, false);
			assertThat(unlocked.failed()).isZero();
			assertThat(unlocked.sold()).isEqualTo(unlocked.bought()).isGreaterThan(50);
		}
		assertThat(EmbeddedRedis.answers(this.redisPort)).isFalse();
	}

	private SampleProcess start(Path directory, int port) throws IOException {
		return SampleProcess.start(directory, this.redisPort, "--server.port=" + port);
	}

	/**
	 * A sale that one buyer begins and both instances then join at the same time.
	 */
	private record JointRush(RushResult beginning, RushResult one, RushResult other) {

		static JointRush run(RestClient one, RestClient other, boolean locked) {
			RushResult beginning = SampleProcess.run(one, "buyers=1&locked=" + locked);
			String query = "buyers=100&restock=false&locked=" + locked;
			CompletableFuture<RushResult> others = CompletableFuture.supplyAsync(() -> SampleProcess.run(other, query));
			return new JointRush(beginning, SampleProcess.run(one, query), others.join());
		}

		int bought() {
			return this.beginning.bought() + this.one.bought() + this.other.bought();
		}

		int sold() {
			return Math.max(this.one.sold(), this.other.sold());
		}

		int failed() {
			return this.beginning.failed() + this.one.failed() + this.other.failed();
		}

	}

}
