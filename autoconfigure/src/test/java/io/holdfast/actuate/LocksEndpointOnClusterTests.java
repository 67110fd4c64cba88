package io.holdfast.actuate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.actuate.LocksApplication.Answer;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The endpoint with locks on a Redis Cluster.
 */
@Tag("any-jdk")
@Tag("slow")
class LocksEndpointOnClusterTests {

	@RegisterExtension
	static final RedisCluster cluster = new RedisCluster();

	@Test
	void locksCanBeTakenAwayWhileOneServerHangs() {
		String nodes = cluster.nodes()
			.stream()
			.map((node) -> "127.0.0.1:" + node.port())
			.collect(Collectors.joining(","));
		RedisProcess hanging = cluster.nodeOf("another key");
		String key = Stream.iterate("k", (each) -> each + "k")
			.filter((each) -> cluster.nodeOf(each) != hanging)
			.findFirst()
			.orElseThrow();
		try (LocksApplication shop = LocksApplication.start("shop", "spring.data.redis.cluster.nodes=" + nodes,
				"spring.data.redis.timeout=1m", "holdfast.shutdown-grace=0")) {
			LockHandle lock = shop.template().acquire(LockRequest.of(key).lease(Duration.ofMinutes(5)));
			hanging.freeze();
			List<CompletableFuture<Answer>> views = Stream
				.generate(() -> Threads.start(() -> shop.getOnce("?scope=cluster")))
				.limit(8)
				.toList();
			views.forEach((view) -> assertThat(Threads.join(view).status()).isEqualTo(503));
			assertThat(shop.get("?key=" + key).status()).isEqualTo(200);
			assertThat(shop.delete("?key=" + key).status()).isEqualTo(204);
			await().until(() -> !lock.isHeld());
		}
		finally {
			hanging.unfreeze();
		}
	}

}
