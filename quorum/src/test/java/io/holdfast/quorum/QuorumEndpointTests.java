package io.holdfast.quorum;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.actuate.LocksApplication;
import io.holdfast.actuate.LocksApplication.Answer;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The endpoint with locks on independent masters, two of which are needed.
 */
@Tag("any-jdk")
@Tag("slow")
class QuorumEndpointTests {

	private final List<RedisProcess> masters = Stream.generate(() -> new RedisProcess()).limit(3).toList();

	@AfterEach
	void stop() {
		this.masters.forEach(RedisProcess::close);
	}

	@Test
	void locksAreToldAsLongAsThereIsAQuorum() {
		this.masters.forEach(RedisProcess::start);
		String nodes = this.masters.stream()
			.map((node) -> "redis://127.0.0.1:" + node.port())
			.collect(Collectors.joining(","));
		try (LocksApplication shop = LocksApplication.start("shop", "holdfast.redis.nodes=" + nodes,
				"holdfast.redis.node-timeout=500ms")) {
			await().until(() -> shop.registry().check().nodes().stream().allMatch((node) -> node.failure() == null));
			LockHandle lock = shop.template().acquire(LockRequest.of("k").lease(Duration.ofMinutes(5)));
			this.masters.get(0).freeze();
			Answer withTwo = await().until(() -> shop.getOnce("?scope=cluster"), (answer) -> answer.status() == 200);
			assertThat(withTwo.keys()).containsExactly("k");
			this.masters.get(1).kill();
			await().untilAsserted(() -> assertThatWhatIsKnownHereIsToldInTime(shop));
			assertThat(shop.deleteOnce("/k").status()).isEqualTo(503);
			assertThat(lock.isHeld()).isTrue();
			this.masters.get(0).unfreeze();
		}
	}

	private static void assertThatWhatIsKnownHereIsToldInTime(LocksApplication shop) {
		long start = System.nanoTime();
		Answer told = shop.getOnce("?scope=cluster");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
		assertThat(told.status()).isEqualTo(503);
		assertThat(told.keys()).containsExactly("k");
	}

}
