package io.holdfast.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.actuate.LocksApplication.Answer;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
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

	private final List<LocksApplication> applications = new ArrayList<>();

	@AfterEach
	void stop() {
		this.applications.forEach(LocksApplication::close);
	}

	private LocksApplication start(String name, String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.add("spring.data.redis.cluster.nodes="
				+ cluster.nodes().stream().map((node) -> "127.0.0.1:" + node.port()).collect(Collectors.joining(",")));
		LocksApplication application = LocksApplication.start(name, all.toArray(String[]::new));
		this.applications.add(application);
		return application;
	}

	private static List<String> keys(int count) {
		return IntStream.range(0, count).mapToObj((i) -> "key " + i).toList();
	}

	@Test
	void locksOnAllServersAreToldAndTakenAway() {
		LocksApplication shop = start("shop", "spring.data.redis.client-type=lettuce");
		assertThatLocksAreToldAndTakenAway(shop, start("till", "spring.data.redis.client-type=lettuce"));
	}

	@Test
	void locksCanBeTakenAwayWhileOneServerHangs() {
		LocksApplication shop = start("shop", "spring.data.redis.timeout=1m", "holdfast.shutdown-grace=0");
		String key = keys(100).stream()
			.filter((each) -> cluster.nodeOf(each) != cluster.nodes().get(2))
			.findFirst()
			.orElseThrow();
		LockHandle lock = shop.template().acquire(LockRequest.of(key).lease(Duration.ofMinutes(5)));
		cluster.nodes().get(2).freeze();
		try {
			List<CompletableFuture<Answer>> views = Stream
				.generate(() -> Threads.start(() -> shop.getOnce("?scope=cluster")))
				.limit(8)
				.toList();
			views.forEach((view) -> assertThat(Threads.join(view).status()).isEqualTo(503));
			assertThat(shop.get("?key=" + key.replace(" ", "+")).status()).isEqualTo(200);
			assertThat(shop.delete("?key=" + key.replace(" ", "+")).status()).isEqualTo(204);
			await().until(() -> !lock.isHeld());
		}
		finally {
			cluster.nodes().get(2).unfreeze();
		}
	}

	private static void assertThatLocksAreToldAndTakenAway(LocksApplication shop, LocksApplication till) {
		LockHandle many = shop.template().acquire(LockRequest.of(keys(20)).lease(Duration.ofMinutes(5)));
		assertThat(till.get("?scope=cluster").keys())
			.containsExactlyInAnyOrderElementsOf(List.<Object>copyOf(keys(20)));
		await().until(() -> shop.registry().status().subscription() == Subscription.ACTIVE);
		await().untilAsserted(() -> assertThat(till.get("/key%207").body()).contains("\"application\":\"shop\""));
		CompletableFuture<LockHandle> waiter = Threads
			.start(() -> till.template().acquire(LockRequest.of("key 7").waitForever()));
		await().untilAsserted(() -> assertThat(shop.get("/key%207").body()).contains(till.id()));
		assertThat(till.delete("/key%207").status()).isEqualTo(204);
		await().until(() -> !many.isHeld());
		LockHandle taken = Threads.join(waiter);
		assertThat(taken.isHeld()).isTrue();
		taken.releaseAsync();
		await().until(() -> till.get("?scope=cluster").locks().isEmpty());
	}

}
