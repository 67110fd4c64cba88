package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.CuttingProxy;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisReplication;
import io.holdfast.test.RedisSentinels;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.ClientKillParams;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A client that repeated a release by itself would be told that the lock is not held.
 */
@Tag("any-jdk")
@Tag("slow")
class ClientRepetitionTests {

	/**
	 * How long connections are killed, in seconds: a minute on demand.
	 */
	private static final int KILLING_SECONDS = Integer.getInteger("holdfast.test.killing-seconds", 3);

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final int THREADS = 4;

	private static final int SECTIONS = 200;

	private static final int KILLS = 8;

	private static final int CALLERS = 16;

	private static final int TRIES = 20;

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	static Stream<IntFunction<RedisConnectionFactory>> clients() {
		return Stream.of(Connections::jedis, Connections::jedisOfOldKind, Connections::lettuce);
	}

	@ParameterizedTest
	@MethodSource("clients")
	void releaseWhoseReplyIsCutOffIsNoLoss(IntFunction<RedisConnectionFactory> client) throws Exception {
		try (CuttingProxy proxy = new CuttingProxy(redis.port())) {
			use(client.apply(proxy.port()), (instance) -> {
				instance.template().acquire("cut").close();
				LockHandle handle = instance.template().acquire("cut");
				proxy.cutOffReplyAbout("holdfast:{cut}");
				ReleaseResult result = handle.release();
				assertThat(proxy.hasCut()).isTrue();
				assertThat(result).isEqualTo(ReleaseResult.PENDING);
				try (Jedis jedis = redis.connect()) {
					await().until(() -> !jedis.exists("holdfast:{cut}"));
				}
				assertThat(instance.template().acquire("cut").release()).isEqualTo(ReleaseResult.RELEASED);
			});
		}
	}

	@ParameterizedTest
	@MethodSource("clients")
	void nothingIsLostWhileConnectionsAreKilled(IntFunction<RedisConnectionFactory> client) throws Exception {
		use(client.apply(redis.port()), (instance) -> lockWhileConnectionsAreKilled(instance, redis));
	}

	/**
	 * Each time, a pool lends one that has been killed.
	 */
	@ParameterizedTest
	@MethodSource("clients")
	void idleConnectionsThatAreKilledCostNoLock(IntFunction<RedisConnectionFactory> client) throws Exception {
		use(client.apply(redis.port()), (instance) -> {
			LockHandle held = instance.template().acquire(LockRequest.of("held").lease(Duration.ofSeconds(2)));
			killConnections(redis);
			assertThat(held.isHeld()).isTrue();
		});
	}

	@ParameterizedTest
	@MethodSource("clients")
	void singleTriesOverConnectionsThatWereKilledAreMadeAgain(IntFunction<RedisConnectionFactory> client)
			throws Exception {
		use(client.apply(redis.port()), (instance) -> tryBetweenKills(instance, List.of(redis)));
	}

	@ParameterizedTest
	@MethodSource("clientsOfClusters")
	void singleTriesOverConnectionsToAClusterThatWereKilledAreMadeAgain(
			Function<RedisCluster, RedisConnectionFactory> client) throws Exception {
		try (RedisCluster cluster = new RedisCluster()) {
			cluster.start();
			use(client.apply(cluster), (instance) -> tryBetweenKills(instance, cluster.nodes()));
		}
	}

	/**
	 * A pool for each master.
	 */
	@Test
	void singleTryForKeysOnAllMastersIsMadeAgain() throws Exception {
		LockRequest all = LockRequest.of(IntStream.range(0, CALLERS).mapToObj((i) -> "all-" + i).toList())
			.waitFor(Duration.ZERO);
		try (RedisCluster cluster = new RedisCluster()) {
			cluster.start();
			use(Connections.jedisCluster(cluster), (instance) -> {
				assertThat(instance.template().acquire(all).release()).isEqualTo(ReleaseResult.RELEASED);
				cluster.nodes().forEach(ClientRepetitionTests::killAll);
				assertThat(instance.template().acquire(all).release()).isEqualTo(ReleaseResult.RELEASED);
			});
		}
	}

	@ParameterizedTest
	@MethodSource("io.holdfast.redis.ReplicaAcksTests#patientClients")
	void singleTriesThatWaitForReplicasAreMadeAgain(IntFunction<RedisConnectionFactory> client) throws Exception {
		try (RedisReplication servers = new RedisReplication(1)) {
			servers.start();
			use(client.apply(servers.master().port()), new ReplicaAcks(1, LONG.dividedBy(2)),
					(instance) -> tryBetweenKills(instance, List.of(servers.master())));
		}
	}

	private static void tryBetweenKills(TestInstance instance, List<RedisProcess> servers) {
		for (int i = 0; i < KILLS; i++) {
			CyclicBarrier together = new CyclicBarrier(CALLERS);
			List<CompletableFuture<Boolean>> callers = IntStream.range(0, CALLERS)
				.mapToObj((caller) -> Threads.start(() -> tryAfter(together, instance, "tried-" + caller)))
				.toList();
			assertThat(callers).allSatisfy((caller) -> assertThat(Threads.join(caller)).isTrue());
			servers.forEach(ClientRepetitionTests::killAll);
		}
	}

	private static boolean tryAfter(CyclicBarrier together, TestInstance instance, String key) throws Exception {
		together.await();
		return IntStream.range(0, TRIES)
			.allMatch((i) -> instance.template()
				.tryAcquire(LockRequest.of(key + "-" + i).waitFor(Duration.ZERO))
				.map(LockHandle::release)
				.isPresent());
	}

	private static void killAll(RedisProcess server) {
		try (Jedis jedis = server.connect()) {
			killAll(jedis);
		}
	}

	/**
	 * A lost connection is replaced at the next request, not after a pause that grows.
	 */
	@ParameterizedTest
	@MethodSource("clients")
	void callersAreServedWhileConnectionsAreKilled(IntFunction<RedisConnectionFactory> client) throws Exception {
		use(client.apply(redis.port()), (instance) -> {
			AtomicBoolean over = new AtomicBoolean();
			AtomicInteger sections = new AtomicInteger();
			List<CompletableFuture<Boolean>> threads = IntStream.range(0, 2 * THREADS)
				.mapToObj((i) -> Threads.start(() -> nestUntil(over, instance, "nested-" + i % THREADS, sections)))
				.toList();
			try (Jedis jedis = redis.connect()) {
				await().pollInterval(Duration.ofMillis(100)).atMost(LONG.multipliedBy(2)).until(() -> {
					killAll(jedis);
					return sections.get() > SECTIONS;
				});
			}
			over.set(true);
			assertThat(threads).allSatisfy((thread) -> assertThat(Threads.join(thread)).isTrue());
		});
	}

	private static boolean nestUntil(AtomicBoolean over, TestInstance instance, String key, AtomicInteger sections) {
		LockRequest request = LockRequest.of(key).waitFor(LONG);
		while (!over.get()) {
			instance.template()
				.executeWithoutResult(request, (outer) -> instance.template()
					.executeWithoutResult(request, (inner) -> sections.incrementAndGet()));
		}
		return true;
	}

	static Stream<Function<RedisSentinels, RedisConnectionFactory>> clientsOfSentinels() {
		return Stream.of(Connections::jedisSentinel, Connections::lettuceSentinel);
	}

	@ParameterizedTest
	@MethodSource("clientsOfSentinels")
	void nothingIsLostWhileConnectionsToTheMasterOfSentinelsAreKilled(
			Function<RedisSentinels, RedisConnectionFactory> client) throws Exception {
		try (RedisSentinels sentinels = new RedisSentinels()) {
			sentinels.start();
			use(client.apply(sentinels),
					(instance) -> lockWhileConnectionsAreKilled(instance, sentinels.currentMasterProcess()));
		}
	}

	private static void lockWhileConnectionsAreKilled(TestInstance instance, RedisProcess server) {
		AtomicBoolean over = new AtomicBoolean();
		Set<ReleaseResult> results = ConcurrentHashMap.newKeySet();
		List<CompletableFuture<Boolean>> threads = IntStream.range(0, THREADS)
			.mapToObj((i) -> Threads.start(() -> lockUntil(over, instance, "key-" + i, results)))
			.toList();
		killConnections(server);
		over.set(true);
		assertThat(threads).allSatisfy((thread) -> assertThat(Threads.join(thread)).isTrue());
		assertThat(results).isSubsetOf(ReleaseResult.RELEASED, ReleaseResult.PENDING);
	}

	private static void killConnections(RedisProcess server) {
		try (Jedis jedis = server.connect()) {
			long end = System.nanoTime() + Duration.ofSeconds(KILLING_SECONDS).toNanos();
			await().pollInterval(Duration.ofMillis(100)).atMost(Duration.ofSeconds(KILLING_SECONDS + 30)).until(() -> {
				killAll(jedis);
				return System.nanoTime() - end >= 0;
			});
		}
	}

	/**
	 * Ends with a release that is confirmed: on a busy machine none may be before. What
	 * the view throws that has lost a lock is an error of the thread.
	 */
	private static boolean lockUntil(AtomicBoolean over, TestInstance instance, String key,
			Set<ReleaseResult> results) {
		Lock view = instance.registry().lock(key + "-of-view");
		ReleaseResult result;
		do {
			result = instance.template().acquire(LockRequest.of(key).waitFor(LONG)).release();
			results.add(result);
			view.lock();
			view.unlock();
		}
		while (!over.get() || result != ReleaseResult.RELEASED);
		return true;
	}

	/**
	 * Sentinels keep theirs: they would replace the master.
	 */
	private static void killAll(Jedis jedis) {
		jedis.clientList()
			.lines()
			.filter((client) -> client.contains(" flags=N ") && !client.contains(" name=sentinel"))
			.filter((client) -> !client.contains(" cmd=client"))
			.map((client) -> client.replaceAll("^id=(\\d+) .*", "$1"))
			.forEach((id) -> jedis.clientKill(new ClientKillParams().id(id)));
	}

	static Stream<Function<RedisCluster, RedisConnectionFactory>> clientsOfClusters() {
		return Stream.of(Connections::jedisCluster, Connections::lettuceCluster);
	}

	/**
	 * For longer than clients wait for a reply, but not for two of them.
	 */
	@ParameterizedTest
	@MethodSource("clientsOfClusters")
	void releaseOnAMasterOfAClusterThatHangsIsNoLoss(Function<RedisCluster, RedisConnectionFactory> client)
			throws Exception {
		try (RedisCluster cluster = new RedisCluster()) {
			cluster.start();
			RedisProcess master = cluster.nodeOf("holdfast:{hangs}");
			use(client.apply(cluster), (instance) -> {
				instance.template().acquire("hangs").close();
				LockHandle handle = instance.template().acquire("hangs");
				master.freeze();
				CompletableFuture<ReleaseResult> release = Threads.start(handle::release);
				assertThat(master.answersWithin(1300)).isFalse();
				master.unfreeze();
				assertThat(Threads.join(release)).isEqualTo(ReleaseResult.PENDING);
				try (Jedis jedis = master.connect()) {
					await().until(() -> !jedis.exists("holdfast:{hangs}"));
				}
			});
		}
	}

	private static void use(RedisConnectionFactory connections, Check check) throws Exception {
		use(connections, ReplicaAcks.NONE, check);
	}

	private static void use(RedisConnectionFactory connections, ReplicaAcks acks, Check check) throws Exception {
		try (RedisLockStore store = new RedisLockStore(connections, "holdfast", Duration.ofHours(1), acks);
				TestInstance instance = new TestInstance((id) -> store)) {
			check.run(instance);
			assertThat(instance.events().lost()).isEmpty();
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

	private interface Check {

		void run(TestInstance instance);

	}

}
