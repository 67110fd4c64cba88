package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.FaultyStore;
import io.holdfast.engine.FaultyStore.Operation;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

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

	/**
	 * One after the other, all slots of the master that hangs would take longer than the
	 * leases last.
	 */
	@Test
	void locksOnHealthyMastersAreRenewedWhileAnotherHangs() {
		RedisProcess frozen = cluster.nodes().get(1);
		JedisConnectionFactory connections = Connections.jedisCluster(cluster);
		try (TestInstance instance = new TestInstance(
				(id) -> new RedisLockStore(connections, "holdfast", Duration.ofHours(1), ReplicaAcks.NONE))) {
			Map<Boolean, List<LockHandle>> locks = IntStream.range(0, 90)
				.mapToObj((i) -> (i % 3 == 0) ? LockRequest.of("held-" + i, "also-" + i) : LockRequest.of("held-" + i))
				.map((request) -> instance.template().acquire(request.lease(LEASE)))
				.collect(Collectors.partitioningBy((lock) -> isOn(frozen, lock)));
			await().until(() -> renewals(instance) >= 90);
			frozen.freeze();
			try {
				long before = renewals(instance);
				await().atMost(LIMIT).until(() -> locks.get(true).stream().noneMatch(LockHandle::isHeld));
				await().atMost(LIMIT).until(() -> renewals(instance) - before >= 3L * locks.get(false).size());
				assertThat(locks.get(false)).hasSizeGreaterThan(30).allMatch(LockHandle::isHeld);
			}
			finally {
				frozen.unfreeze();
			}
			assertThat(locks.get(false)).extracting(LockHandle::release).containsOnly(ReleaseResult.RELEASED);
		}
		finally {
			connections.destroy();
		}
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
			long renewed = renewals(instance);
			await().atMost(LIMIT).until(() -> renewals(instance) - renewed >= 400);
			assertThat(CommandCounts.of(master).since(before).scripts()).isLessThan(200);
			assertThat(locks).allMatch(LockHandle::isHeld);
			locks.forEach(LockHandle::release);
		});
	}

	private static boolean isOn(RedisProcess node, LockHandle lock) {
		return lock.keys().stream().anyMatch((key) -> cluster.nodeOf("holdfast:{" + key + "}") == node);
	}

	private static long renewals(TestInstance instance) {
		return instance.renewed();
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
			try {
				int before = store.calls(Operation.ACQUIRE);
				keysOn(frozen, "asked-for-", MANY)
					.forEach((key) -> instance.template().acquireAsync(LockRequest.of(key).waitFor(LIMIT)));
				Threads.join(instance.template().acquireAsync(wanted)).close();
				assertThat(store.calls(Operation.ACQUIRE) - before).isLessThan(MANY);
			}
			finally {
				frozen.unfreeze();
			}
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
			try (Jedis jedis = healthy.connect()) {
				hanging.forEach(LockHandle::releaseAsync);
				lock.releaseAsync();
				await().atMost(LIMIT).until(() -> !jedis.exists("holdfast:{" + key + "}"));
				assertThat(store.calls(Operation.RELEASE)).isLessThan(MANY);
			}
			finally {
				frozen.unfreeze();
			}
		});
	}

	@Test
	void shutdownDoesNotWaitForAMasterThatHangs() {
		RedisProcess frozen = cluster.nodes().get(1);
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		AtomicLong begin = new AtomicLong();
		try {
			withFaultyStore((instance, store) -> {
				List<LockHandle> held = keysOn(frozen, "held-by-" + instance.id(), MANY)
					.map(instance.template()::acquire)
					.toList();
				frozen.freeze();
				held.forEach(LockHandle::releaseAsync);
				keysOn(frozen, "wanted-by-" + instance.id(), MANY).map((key) -> LockRequest.of(key).waitFor(LIMIT))
					.forEach((request) -> waiting.add(instance.template().acquireAsync(request)));
				await().until(() -> store.calls(Operation.ACQUIRE) > MANY && store.calls(Operation.RELEASE) > 0);
				begin.set(System.nanoTime());
			});
			assertThat(Duration.ofNanos(System.nanoTime() - begin.get())).isLessThan(LIMIT.dividedBy(2));
		}
		finally {
			frozen.unfreeze();
		}
		assertThat(waiting).hasSize(MANY).allSatisfy((caller) -> assertThat(caller).failsWithin(LIMIT));
	}

	@Test
	void storeKnowsWhichKeysAreOnOneMaster() {
		RedisProcess one = cluster.nodes().get(0);
		RedisProcess other = cluster.nodes().get(1);
		withFaultyStore((instance, store) -> {
			instance.template().acquire(keyOn(one)).close();
			instance.template().acquire(keyOn(one)).close();
			await().atMost(LIMIT).until(() -> servers(store, one).size() == 1);
			assertThat(servers(store, other)).hasSize(1).doesNotContainAnyElementsOf(servers(store, one));
			assertThat(store.serverOf(List.of(keyOn(one), keyOn(other)))).isEqualTo("several");
			assertThat(store.serverOf(keysOn(one, "key-", 2).toList())).isIn(servers(store, one));
		});
	}

	private static Set<String> servers(LockStore store, RedisProcess node) {
		return keysOn(node, "key-", MANY).map((key) -> store.serverOf(List.of(key))).collect(Collectors.toSet());
	}

	private static void withFaultyStore(BiConsumer<TestInstance, FaultyStore> test) {
		JedisConnectionFactory connections = Connections.jedisCluster(cluster);
		try (TestInstance instance = new TestInstance((id) -> new FaultyStore(
				new RedisLockStore(connections, "holdfast", Duration.ofHours(1), ReplicaAcks.NONE)))) {
			test.accept(instance, (FaultyStore) instance.store());
		}
		finally {
			connections.destroy();
		}
	}

	@Test
	void keysOfHealthyMastersAreNotKeptForThoseThatCannotBeAsked() {
		RedisProcess healthy = cluster.nodes().get(0);
		RedisProcess frozen = cluster.nodes().get(2);
		String key = keyOn(healthy);
		withFaultyStore((instance, store) -> {
			instance.template().acquire(LockRequest.of(key, keyOn(frozen))).close();
			frozen.freeze();
			try {
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> instance.template()
					.acquire(LockRequest.of(key, keyOn(frozen)).waitFor(Duration.ofMillis(500))));
				try (Jedis jedis = healthy.connect()) {
					assertThat(jedis.exists("holdfast:{" + key + "}")).isFalse();
					assertThat(jedis.exists("holdfast:{" + key + "}:token")).isTrue();
				}
			}
			finally {
				frozen.unfreeze();
			}
		});
	}

}
