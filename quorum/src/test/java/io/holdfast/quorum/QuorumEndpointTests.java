package io.holdfast.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.actuate.LocksApplication;
import io.holdfast.actuate.LocksApplication.Answer;
import io.holdfast.engine.LockStore.NodeStatus;
import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
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

	private final List<LocksApplication> applications = new ArrayList<>();

	@AfterEach
	void stop() {
		this.applications.forEach(LocksApplication::close);
		this.masters.forEach(RedisProcess::close);
	}

	private LocksApplication start(String name) {
		String nodes = this.masters.stream()
			.map((node) -> "redis://127.0.0.1:" + node.port())
			.collect(Collectors.joining(","));
		LocksApplication application = LocksApplication.start(name, "holdfast.redis.nodes=" + nodes,
				"holdfast.redis.node-timeout=500ms");
		this.applications.add(application);
		await().until(() -> application.registry().check().nodes().stream().allMatch(NodeStatus::isUp));
		return application;
	}

	@Test
	void locksAreToldAsLongAsThereIsAQuorum() {
		this.masters.forEach(RedisProcess::start);
		LocksApplication shop = start("shop");
		LocksApplication till = start("till");
		assertThatALockIsToldAndTakenAway(shop, till);
		LockHandle lock = shop.template().acquire(LockRequest.of("k").lease(Duration.ofMinutes(5)));
		this.masters.get(0).freeze();
		Answer withTwo = await().until(() -> till.getOnce("?scope=cluster"), (answer) -> answer.status() == 200);
		assertThat(withTwo.keys()).containsExactly("k");
		this.masters.get(1).kill();
		await().untilAsserted(() -> assertThatWhatIsKnownHereIsToldInTime(shop));
		assertThat(shop.deleteOnce("/k").status()).isEqualTo(503);
		assertThat(lock.isHeld()).isTrue();
		this.masters.get(0).unfreeze();
	}

	private static void assertThatWhatIsKnownHereIsToldInTime(LocksApplication shop) {
		long start = System.nanoTime();
		Answer told = shop.getOnce("?scope=cluster");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
		assertThat(told.status()).isEqualTo(503);
		assertThat(told.keys()).containsExactly("k");
	}

	private static void assertThatALockIsToldAndTakenAway(LocksApplication shop, LocksApplication till) {
		LockHandle held = shop.template().acquire(LockRequest.of("one", "two").lease(Duration.ofMinutes(5)));
		await().until(() -> shop.registry().status().subscription() == Subscription.ACTIVE);
		assertThat(till.get("?scope=cluster").keys()).containsExactlyInAnyOrder("one", "two");
		await().untilAsserted(() -> assertThat(till.get("/one").body()).contains("\"application\":\"shop\""));
		CompletableFuture<LockHandle> waiter = Threads
			.start(() -> till.template().acquire(LockRequest.of("one").waitForever()));
		await().untilAsserted(() -> assertThat(shop.get("/one").body()).contains(till.id()));
		assertThat(till.delete("/one").status()).isEqualTo(204);
		await().until(() -> !held.isHeld());
		LockHandle taken = Threads.join(waiter);
		assertThat(taken.isHeld()).isTrue();
		taken.releaseAsync();
		await().until(() -> till.get("?scope=cluster").locks().isEmpty());
	}

}
