package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Client;
import io.holdfast.test.CuttingProxy;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Several keys when not all masters of a Cluster can be asked.
 */
@Tag("any-jdk")
@Tag("slow")
class ClusterFaultTests {

	private static final Duration LEASE = Duration.ofSeconds(5);

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private static final int MANY = 100;

	@RegisterExtension
	static final RedisCluster cluster = new RedisCluster();

	private static String keyOn(RedisProcess node) {
		return keysOn(node, "key-", 1).findFirst().orElseThrow();
	}

	private static Stream<String> keysOn(RedisProcess node, String prefix, int count) {
		return IntStream.range(0, 1000)
			.mapToObj((i) -> prefix + i)
			.filter((key) -> cluster.nodeOf("holdfast:{" + key + "}") == node)
			.limit(count);
	}

	private static void withFaultyStore(BiConsumer<TestInstance, FaultyStore> test) {
		RedisConnectionFactory connections = Client.JEDIS.connect(cluster);
		try (TestInstance instance = new TestInstance((id) -> new FaultyStore(RedisStores.open(connections)))) {
			test.accept(instance, (FaultyStore) instance.store());
			goOn();
		}
		finally {
			goOn();
			RedisStores.disconnect(connections);
		}
	}

	private static void goOn() {
		cluster.nodes().forEach(RedisProcess::unfreeze);
	}

	/**
	 * One after the other, all slots of the master that hangs would take longer than the
	 * leases last.
	 */
	@Test
	void locksOnHealthyMastersAreRenewedWhileAnotherHangs() {
		RedisProcess frozen = cluster.nodes().get(1);
		withFaultyStore((instance, store) -> {
			Map<Boolean, List<LockHandle>> locks = IntStream.range(0, 90)
				.mapToObj((i) -> (i % 3 == 0) ? LockRequest.of("held-" + i, "also-" + i) : LockRequest.of("held-" + i))
				.map((request) -> instance.template().acquire(request.lease(LEASE)))
				.collect(Collectors.partitioningBy((lock) -> lock.keys()
					.stream()
					.anyMatch((key) -> cluster.nodeOf("holdfast:{" + key + "}") == frozen)));
			await().until(() -> instance.renewed() >= 90);
			frozen.freeze();
			long before = instance.renewed();
			await().atMost(LIMIT).until(() -> locks.get(true).stream().noneMatch(LockHandle::isHeld));
			await().atMost(LIMIT).until(() -> instance.renewed() - before >= 3L * locks.get(false).size());
			assertThat(locks.get(false)).hasSizeGreaterThan(30).allMatch(LockHandle::isHeld);
			goOn();
			assertThat(locks.get(false)).extracting(LockHandle::release).containsOnly(ReleaseResult.RELEASED);
		});
	}

	/**
	 * With a request for each slot, a slow line could not carry them.
	 */
	@Test
	void locksOfOneMasterAreRenewedTogetherWhateverTheirSlots() {
		RedisProcess master = cluster.nodes().get(0);
		withFaultyStore((instance, store) -> {
			List<LockHandle> locks = keysOn(master, "slots-", 100)
				.map((key) -> instance.template().acquire(LockRequest.of(key).lease(LEASE.multipliedBy(3))))
				.toList();
			await().until(() -> store.serverOf(locks.get(0).keys()).equals(store.serverOf(locks.get(99).keys())));
			CommandCounts before = CommandCounts.of(master);
			long renewed = instance.renewed();
			await().atMost(LIMIT).until(() -> instance.renewed() - renewed >= 200);
			assertThat(CommandCounts.of(master).since(before).scripts()).isLessThan(100);
			assertThat(locks).allMatch(LockHandle::isHeld);
			locks.forEach(LockHandle::release);
		});
	}

	/**
	 * If it waited for those who have asked before, there would be as many attempts
	 * first.
	 */
	@Test
	void asynchronousCallersOfHealthyMastersDoNotWaitForOneThatHangs() {
		RedisProcess frozen = cluster.nodes().get(1);
		LockRequest wanted = LockRequest.of(keyOn(cluster.nodes().get(0))).waitFor(LIMIT);
		withFaultyStore((instance, store) -> {
			instance.template().acquire(wanted).close();
			frozen.freeze();
			int before = store.calls(Operation.ACQUIRE);
			keysOn(frozen, "asked-for-", MANY)
				.forEach((key) -> instance.template().acquireAsync(LockRequest.of(key).waitFor(LIMIT)));
			Threads.join(instance.template().acquireAsync(wanted)).close();
			assertThat(store.calls(Operation.ACQUIRE) - before).isLessThan(MANY);
		});
	}

	@Test
	void backgroundReleasesOnHealthyMastersDoNotWaitForOneThatHangs() {
		RedisProcess healthy = cluster.nodes().get(0);
		RedisProcess frozen = cluster.nodes().get(1);
		String key = keyOn(healthy);
		withFaultyStore((instance, store) -> {
			List<LockHandle> hanging = keysOn(frozen, "given-up-", MANY).map(instance.template()::acquire).toList();
			LockHandle lock = instance.template().acquire(LockRequest.of(key).lease(LIMIT.multipliedBy(4)));
			frozen.freeze();
			hanging.forEach(LockHandle::releaseAsync);
			lock.releaseAsync();
			await().atMost(LIMIT).until(() -> !exists(healthy, "holdfast:{" + key + "}"));
			assertThat(store.calls(Operation.RELEASE)).isLessThan(MANY);
		});
	}

	private static boolean exists(RedisProcess node, String name) {
		return node.ask((jedis) -> jedis.exists(name));
	}

	@Test
	void shutdownDoesNotWaitForAMasterThatHangs() {
		RedisProcess frozen = cluster.nodes().get(1);
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		withFaultyStore((instance, store) -> {
			List<LockHandle> held = keysOn(frozen, "held-by-" + instance.id(), MANY).map(instance.template()::acquire)
				.toList();
			frozen.freeze();
			held.forEach(LockHandle::releaseAsync);
			keysOn(frozen, "wanted-by-" + instance.id(), MANY).map((key) -> LockRequest.of(key).waitFor(LIMIT))
				.forEach((request) -> waiting.add(instance.template().acquireAsync(request)));
			await().until(() -> store.calls(Operation.ACQUIRE) > MANY && store.calls(Operation.RELEASE) > 0);
			long begin = System.nanoTime();
			instance.close();
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(LIMIT.dividedBy(2));
		});
		assertThat(waiting).hasSize(MANY).allSatisfy((caller) -> assertThat(caller).failsWithin(LIMIT));
	}

	/**
	 * As behind a firewall that forgets idle connections.
	 */
	@Test
	void connectionsToAllMastersThatAreLostWithoutAWordDoNotCostLettuceAnAttemptEach() {
		List<CuttingProxy> proxies = cluster.nodes().stream().map((node) -> new CuttingProxy(node.port())).toList();
		List<String> keys = cluster.nodes().stream().map(ClusterFaultTests::keyOn).toList();
		try {
			announce((node) -> proxies.get(cluster.nodes().indexOf(node)).port());
			RedisStores.use(Client.LETTUCE.connect(cluster), (instance) -> {
				LockRequest patient = LockRequest.of(keys).waitFor(LIMIT);
				await().until(() -> instance.template().acquire(patient).release() == ReleaseResult.RELEASED);
				await().atMost(LIMIT.multipliedBy(2)).until(() -> {
					for (int i = 0; i < keys.size(); i++) {
						proxies.get(i).fallSilentAbout("holdfast:{" + keys.get(i) + "}");
					}
					instance.template().acquire(patient).release();
					return swallowed(proxies) > 0; // the subscription may have been first
				});
				assertThat(swallowed(proxies)).isLessThan(keys.size());
			});
		}
		finally {
			announce((node) -> 0);
			proxies.forEach(CuttingProxy::close);
		}
	}

	private static int swallowed(List<CuttingProxy> proxies) {
		return proxies.stream().mapToInt(CuttingProxy::swallowed).sum();
	}

	private static void announce(ToIntFunction<RedisProcess> ports) {
		cluster.nodes().forEach((node) -> {
			int port = ports.applyAsInt(node);
			node.with((jedis) -> jedis.configSet("cluster-announce-port", String.valueOf(port)));
			String named = ":%d@".formatted((port > 0) ? port : node.port());
			cluster.nodes().forEach((other) -> await().until(() -> other.ask(Jedis::clusterNodes).contains(named)));
		});
	}

	@Test
	void keysOfHealthyMastersAreNotKeptForThoseThatCannotBeAsked() {
		RedisProcess healthy = cluster.nodes().get(0);
		RedisProcess frozen = cluster.nodes().get(2);
		String key = keyOn(healthy);
		withFaultyStore((instance, store) -> {
			instance.template().acquire(LockRequest.of(key, keyOn(frozen))).close();
			frozen.freeze();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> instance.template()
				.acquire(LockRequest.of(key, keyOn(frozen))
					.lease(LIMIT.multipliedBy(4))
					.waitFor(Duration.ofMillis(500))));
			await().atMost(LIMIT).until(() -> !exists(healthy, "holdfast:{" + key + "}"));
			assertThat(exists(healthy, "holdfast:{" + key + "}:token")).isTrue();
		});
	}

}
