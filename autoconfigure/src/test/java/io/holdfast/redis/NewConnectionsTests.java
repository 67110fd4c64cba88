package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockException;
import io.holdfast.LockRequest;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RecordingWakeUps;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisReplication;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClusterFailoverOption;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How many connections clients make while servers refuse them, are dead, or hang.
 */
@Tag("any-jdk")
@Tag("slow")
class NewConnectionsTests {

	private static final int WAITERS = 10;

	private static final int SECONDS = 3;

	/**
	 * To a server, by one client that waits for locks, and its subscription.
	 */
	private static final int A_FEW = 8;

	static Stream<IntFunction<RedisConnectionFactory>> clients() {
		return Stream.of(Connections::jedis, Connections::lettuce);
	}

	@ParameterizedTest
	@MethodSource("clients")
	void areFewToAServerThatRefusesWrites(IntFunction<RedisConnectionFactory> client) throws Exception {
		assertThatFewAreMade(client, (jedis) -> jedis.configSet("min-replicas-to-write", "1"));
	}

	@ParameterizedTest
	@MethodSource("clients")
	void areFewToAServerThatIsNotTheMaster(IntFunction<RedisConnectionFactory> client) throws Exception {
		try (RedisReplication servers = new RedisReplication(1)) {
			servers.start();
			assertThatFewAreMade(servers.replica(0), client, (jedis) -> "as it is");
		}
	}

	@ParameterizedTest
	@MethodSource("clients")
	void areFewToAServerThatLetsNobodyIn(IntFunction<RedisConnectionFactory> client) throws Exception {
		assertThatFewAreMade(client, NewConnectionsTests::letNobodyIn);
	}

	/**
	 * Then each request has a connection of its own.
	 */
	@Test
	void areFewByLettuceWhereReplicasConfirmGrants() throws Exception {
		try (RedisProcess server = new RedisProcess()) {
			server.start();
			ReplicaAcks acks = new ReplicaAcks(1, Duration.ofMillis(100));
			assertThatFewAreMade(server, Connections::lettuce, acks, NewConnectionsTests::letNobodyIn);
		}
	}

	private static Object letNobodyIn(Jedis jedis) {
		jedis.configSet("requirepass", "other");
		jedis.sendCommand(() -> "CLIENT".getBytes(), "KILL", "TYPE", "normal", "SKIPME", "yes");
		return "closed";
	}

	private static void assertThatFewAreMade(IntFunction<RedisConnectionFactory> client,
			Function<Jedis, Object> refusal) throws Exception {
		try (RedisProcess server = new RedisProcess()) {
			server.start();
			assertThatFewAreMade(server, client, refusal);
		}
	}

	private static void assertThatFewAreMade(RedisProcess server, IntFunction<RedisConnectionFactory> client,
			Function<Jedis, Object> refusal) throws Exception {
		assertThatFewAreMade(server, client, ReplicaAcks.NONE, refusal);
	}

	private static void assertThatFewAreMade(RedisProcess server, IntFunction<RedisConnectionFactory> client,
			ReplicaAcks acks, Function<Jedis, Object> refusal) throws Exception {
		use(client.apply(server.port()), acks, (instance) -> {
			try (Jedis jedis = server.connect()) {
				instance.registry().lock("before").isLocked();
				refusal.apply(jedis);
				long before = received(jedis);
				long began = System.nanoTime();
				IntStream.range(0, WAITERS).mapToObj((i) -> waiter(instance, "k" + i)).toList().forEach(Threads::join);
				long seconds = 2 + Duration.ofNanos(System.nanoTime() - began).toSeconds();
				assertThat(received(jedis) - before).isLessThan(A_FEW * seconds);
			}
		});
	}

	private static CompletableFuture<Boolean> waiter(TestInstance instance, String key) {
		LockRequest request = LockRequest.of(key).waitFor(Duration.ofSeconds(SECONDS));
		return Threads.start(() -> {
			assertThatExceptionOfType(LockException.class).isThrownBy(() -> instance.template().acquire(request));
			return true;
		});
	}

	private static long received(Jedis jedis) {
		return Long.parseLong(jedis.info("stats").replaceAll("(?s).*total_connections_received:(\\d+).*", "$1"));
	}

	static Stream<Function<RedisCluster, RedisConnectionFactory>> clientsOfClusters() {
		return Stream.of(Connections::jedisCluster, Connections::lettuceCluster);
	}

	@ParameterizedTest
	@MethodSource("clientsOfClusters")
	void areFewToTheOtherMastersWhenOneIsDead(Function<RedisCluster, RedisConnectionFactory> client) throws Exception {
		try (RedisCluster cluster = new RedisCluster("--cluster-require-full-coverage", "no")) {
			cluster.start();
			RedisProcess dead = cluster.nodeOf("holdfast:{k}");
			List<String> keys = IntStream.range(0, 1000)
				.mapToObj((i) -> "k" + i)
				.filter((key) -> cluster.nodeOf(key) == dead)
				.limit(WAITERS)
				.toList();
			use(client.apply(cluster), (instance) -> {
				instance.template().acquire(LockRequest.of(keys)).release();
				dead.kill();
				List<RedisProcess> others = cluster.nodes().stream().filter((node) -> node != dead).toList();
				List<Long> before = others.stream().map(NewConnectionsTests::received).toList();
				long began = System.nanoTime();
				keys.stream().map((key) -> waiter(instance, key)).toList().forEach(Threads::join);
				long seconds = 2 + Duration.ofNanos(System.nanoTime() - began).toSeconds();
				for (int i = 0; i < others.size(); i++) {
					assertThat(received(others.get(i)) - before.get(i)).isLessThan(A_FEW * seconds);
				}
			});
		}
	}

	private static long received(RedisProcess server) {
		try (Jedis jedis = server.connect()) {
			return received(jedis);
		}
	}

	/**
	 * As in a rolling upgrade.
	 */
	@ParameterizedTest
	@MethodSource("clientsOfClusters")
	void subscriptionIsMadeToAClusterAllOfWhoseMastersHaveChanged(Function<RedisCluster, RedisConnectionFactory> client)
			throws Exception {
		try (RedisCluster cluster = RedisCluster.withReplicas("--cluster-node-timeout", "1500")) {
			cluster.start();
			use(client.apply(cluster), (instance) -> {
				instance.template().acquire("k").release();
				List<RedisProcess> masters = cluster.nodes().subList(0, cluster.nodes().size() / 2);
				List<RedisProcess> replicas = cluster.nodes().subList(masters.size(), cluster.nodes().size());
				replicas.forEach(NewConnectionsTests::takeOver);
				masters.forEach(RedisProcess::kill);
				LockRequest patient = LockRequest.of("k").waitFor(Duration.ofSeconds(30));
				instance.template().acquire(patient).release();
				instance.store().listen(instance.id(), new RecordingWakeUps());
				await().until(() -> replicas.stream().anyMatch((node) -> isSubscribed(node, instance)));
			});
		}
	}

	private static void takeOver(RedisProcess replica) {
		try (Jedis jedis = replica.connect()) {
			await().until(() -> {
				jedis.clusterFailover(ClusterFailoverOption.TAKEOVER);
				return jedis.info("replication").contains("role:master");
			});
		}
	}

	private static boolean isSubscribed(RedisProcess node, TestInstance instance) {
		try (Jedis jedis = node.connect()) {
			return !jedis.pubsubChannels("*" + instance.id()).isEmpty();
		}
	}

	private static void use(RedisConnectionFactory connections, Check check) throws Exception {
		use(connections, ReplicaAcks.NONE, check);
	}

	private static void use(RedisConnectionFactory connections, ReplicaAcks acks, Check check) throws Exception {
		try (RedisLockStore store = new RedisLockStore(connections, "holdfast", Duration.ofHours(1), acks);
				TestInstance instance = new TestInstance((id) -> store)) {
			check.run(instance);
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

	@FunctionalInterface
	private interface Check {

		void run(TestInstance instance);

	}

}
