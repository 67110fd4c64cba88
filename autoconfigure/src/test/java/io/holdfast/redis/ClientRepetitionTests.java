package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Client;
import io.holdfast.test.CuttingProxy;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisReplication;
import io.holdfast.test.RedisSentinels;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.params.ClientKillParams;

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

	/**
	 * A lease that is renewed in time, on a machine that stands still for a moment.
	 */
	private static final Duration RENEWED = Duration.ofSeconds(6);

	private static final int THREADS = 4;

	private static final int SECTIONS = 200;

	private static final int KILLS = 8;

	private static final int CALLERS = 16;

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static void use(RedisConnectionFactory connections, Consumer<TestInstance> test) {
		RedisStores.use(connections, (instance) -> {
			test.accept(instance);
			assertThat(instance.events().lost()).isEmpty();
		});
	}

	@ParameterizedTest
	@EnumSource
	void releaseWhoseReplyIsCutOffIsNoLoss(Client client) {
		try (CuttingProxy proxy = new CuttingProxy(redis.port())) {
			use(client.connect(proxy.port()), (instance) -> {
				instance.template().acquire("cut").close();
				LockHandle handle = instance.template().acquire("cut");
				proxy.cutOffReplyAbout("holdfast:{cut}");
				ReleaseResult result = handle.release();
				assertThat(proxy.hasCut()).isTrue();
				assertThat(result).isEqualTo(ReleaseResult.PENDING);
				redis.with((jedis) -> await().until(() -> !jedis.exists("holdfast:{cut}")));
				assertThat(instance.template().acquire("cut").release()).isEqualTo(ReleaseResult.RELEASED);
			});
		}
	}

	/**
	 * What is idle costs no lock either: each time, a pool lends one that has been
	 * killed. A lost connection is replaced at the next request, not after a pause that
	 * grows.
	 */
	@ParameterizedTest
	@EnumSource
	void nothingIsLostWhileConnectionsAreKilled(Client client) {
		use(client.connect(redis.port()), ClientRepetitionTests::lockWhileConnectionsAreKilled);
	}

	private static void lockWhileConnectionsAreKilled(TestInstance instance) {
		LockHandle held = instance.template().acquire(LockRequest.of("held").lease(RENEWED));
		AtomicBoolean over = new AtomicBoolean();
		AtomicInteger sections = new AtomicInteger();
		List<CompletableFuture<Boolean>> threads = IntStream.range(0, 2 * THREADS)
			.mapToObj((i) -> Threads.start(() -> lockUntil(over, instance, "key-" + i % THREADS, sections)))
			.toList();
		long end = System.nanoTime() + Duration.ofSeconds(KILLING_SECONDS).toNanos();
		await().pollInterval(Duration.ofMillis(100))
			.atMost(LONG.multipliedBy(2).plusSeconds(KILLING_SECONDS))
			.until(() -> {
				killAll(redis);
				return System.nanoTime() - end >= 0 && sections.get() > SECTIONS;
			});
		over.set(true);
		assertThat(threads).allSatisfy((thread) -> assertThat(Threads.join(thread)).isTrue());
		assertThat(held.isHeld()).isTrue();
	}

	/**
	 * Ends with a release that is confirmed: on a busy machine none may be before. What
	 * the view throws that has lost a lock is an error of the thread.
	 */
	private static boolean lockUntil(AtomicBoolean over, TestInstance instance, String key, AtomicInteger sections) {
		LockRequest request = LockRequest.of(key).waitFor(LONG);
		Lock view = instance.registry().lock(key + "-of-view");
		ReleaseResult result;
		do {
			LockHandle outer = instance.template().acquire(request);
			instance.template().acquire(request).release();
			result = outer.release();
			assertThat(result).isIn(ReleaseResult.RELEASED, ReleaseResult.PENDING);
			sections.incrementAndGet();
			view.lock();
			view.unlock();
		}
		while (!over.get() || result != ReleaseResult.RELEASED);
		return true;
	}

	/**
	 * Sentinels keep theirs: they would replace the master.
	 */
	private static void killAll(RedisProcess server) {
		server.with((jedis) -> jedis.clientList()
			.lines()
			.filter((client) -> client.contains(" flags=N ") && !client.contains(" name=sentinel"))
			.filter((client) -> !client.contains(" cmd=client"))
			.map((client) -> client.replaceAll("^id=(\\d+) .*", "$1"))
			.forEach((id) -> jedis.clientKill(new ClientKillParams().id(id))));
	}

	@ParameterizedTest
	@EnumSource
	void singleTriesOverConnectionsThatWereKilledAreMadeAgain(Client client) {
		use(client.connectPatiently(redis.port()), (instance) -> tryBetweenKills(instance, List.of(redis)));
	}

	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void singleTriesOverConnectionsToTheMasterOfSentinelsThatWereKilledAreMadeAgain(Client client) {
		try (RedisSentinels sentinels = RedisSentinels.patient()) {
			sentinels.start();
			use(client.connectPatiently(sentinels),
					(instance) -> tryBetweenKills(instance, List.of(sentinels.currentMasterProcess())));
		}
	}

	/**
	 * A pool for each master, and after each kill first a try for keys on all of them.
	 */
	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void singleTriesOverConnectionsToAClusterThatWereKilledAreMadeAgain(Client client) {
		String[] all = IntStream.range(0, CALLERS).mapToObj((i) -> "all-" + i).toArray(String[]::new);
		try (RedisCluster cluster = new RedisCluster()) {
			cluster.start();
			use(client.connectPatiently(cluster), (instance) -> {
				for (int i = 0; i < KILLS; i++) {
					assertThat(RedisStores.isAcquired(instance, all)).isTrue();
					tryTogether(instance);
					cluster.nodes().forEach(ClientRepetitionTests::killAll);
				}
				tryBetweenKills(instance, cluster.nodes());
			});
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void singleTriesThatWaitForReplicasAreMadeAgain(Client client) {
		try (RedisReplication servers = new RedisReplication(1)) {
			servers.start();
			RedisStores.use(client.connectPatiently(servers.master().port()), new ReplicaAcks(1, LONG.dividedBy(2)),
					(instance) -> tryBetweenKills(instance, List.of(servers.master())));
		}
	}

	private static void tryBetweenKills(TestInstance instance, List<RedisProcess> servers) {
		for (int i = 0; i < KILLS; i++) {
			tryTogether(instance);
			servers.forEach(ClientRepetitionTests::killAll);
		}
	}

	/**
	 * Then each pool has several connections.
	 */
	private static void tryTogether(TestInstance instance) {
		CyclicBarrier together = new CyclicBarrier(CALLERS);
		IntFunction<CompletableFuture<Boolean>> start = (caller) -> Threads.start(() -> {
			together.await();
			return IntStream.range(0, 20)
				.allMatch((key) -> RedisStores.isAcquired(instance, "tried-" + caller + "-" + key));
		});
		List<CompletableFuture<Boolean>> callers = IntStream.range(0, CALLERS).mapToObj(start).toList();
		assertThat(callers).allSatisfy((caller) -> assertThat(Threads.join(caller)).isTrue());
	}

	/**
	 * For longer than clients wait for a reply, but not for two of them. On a busy
	 * machine the request may be sent only when it does not hang any more.
	 */
	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void releaseOnAMasterOfAClusterThatHangsIsNoLoss(Client client) {
		try (RedisCluster cluster = new RedisCluster()) {
			cluster.start();
			RedisProcess master = cluster.nodeOf("holdfast:{hangs}");
			use(client.connect(cluster), (instance) -> {
				instance.template().acquire("hangs").close();
				LockHandle handle = instance.template().acquire("hangs");
				master.freeze();
				CompletableFuture<ReleaseResult> release = Threads.start(handle::release);
				assertThat(master.answersWithin(1300)).isFalse();
				master.unfreeze();
				assertThat(Threads.join(release)).isIn(ReleaseResult.PENDING, ReleaseResult.RELEASED);
				master.with((jedis) -> await().until(() -> !jedis.exists("holdfast:{hangs}")));
			});
		}
	}

}
