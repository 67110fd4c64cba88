package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockException;
import io.holdfast.LockRequest;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Client;
import io.holdfast.test.RecordingWakeUps;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClusterFailoverOption;

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
	 * To a server in a second, by one client that waits for locks, and its subscription,
	 * after one for each waiter.
	 */
	private static final int A_FEW = 8;

	/**
	 * What a server does that lets nobody write, or is not the master, or lets nobody in.
	 */
	enum Refusal {

		WRITES(2, (jedis) -> jedis.configSet("min-replicas-to-write", "1")),
		REPLICA(2, (jedis) -> jedis.replicaof("127.0.0.1", 1)), ALL(A_FEW, (jedis) -> {
			jedis.configSet("requirepass", "other");
			jedis.sendCommand("CLIENT"::getBytes, "KILL", "TYPE", "normal", "SKIPME", "yes");
		});

		private final int most;

		private final Consumer<Jedis> begin;

		Refusal(int most, Consumer<Jedis> begin) {
			this.most = most;
			this.begin = begin;
		}

	}

	static Stream<Arguments> refusals() {
		return Stream.of(Refusal.values())
			.flatMap((refusal) -> Stream.of(Client.JEDIS, Client.LETTUCE)
				.map((client) -> Arguments.of(client, refusal, ReplicaAcks.NONE)));
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void areFewToAServerThatRefuses(Client client, Refusal refusal, ReplicaAcks acks) {
		try (RedisProcess server = new RedisProcess()) {
			server.start();
			RedisStores.use(client.connectPatiently(server.port()), acks, (instance) -> {
				try (Jedis jedis = server.connect()) {
					instance.registry().lock("before").isLocked();
					refusal.begin.accept(jedis);
					assertThatFewAreMade(instance, IntStream.range(0, WAITERS).mapToObj((i) -> "k" + i).toList(),
							List.of(jedis), refusal.most);
				}
			});
		}
	}

	/**
	 * Then each request has a connection of its own.
	 */
	@ParameterizedTest
	@EnumSource
	void areFewByLettuceWhereReplicasConfirmGrants(Refusal refusal) {
		areFewToAServerThatRefuses(Client.LETTUCE, refusal, new ReplicaAcks(1, Duration.ofMillis(100)));
	}

	private static void assertThatFewAreMade(TestInstance instance, List<String> keys, List<Jedis> servers, int most) {
		List<Long> before = servers.stream().map(NewConnectionsTests::received).toList();
		long began = System.nanoTime();
		keys.stream().map((key) -> waiter(instance, key)).toList().forEach(Threads::join);
		long seconds = 2 + Duration.ofNanos(System.nanoTime() - began).toSeconds();
		for (int i = 0; i < servers.size(); i++) {
			assertThat(received(servers.get(i)) - before.get(i)).isLessThan(WAITERS + most * seconds);
		}
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

	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	void areFewToTheOtherMastersWhenOneIsDead(Client client) {
		try (RedisCluster cluster = new RedisCluster("--cluster-require-full-coverage", "no")) {
			cluster.start();
			RedisProcess dead = cluster.nodeOf("holdfast:{k}");
			List<String> keys = IntStream.range(0, 1000)
				.mapToObj((i) -> "k" + i)
				.filter((key) -> cluster.nodeOf(key) == dead)
				.limit(WAITERS)
				.toList();
			RedisStores.use(client.connect(cluster), (instance) -> {
				instance.template().acquire(LockRequest.of(keys)).release();
				dead.kill();
				List<Jedis> others = cluster.nodes()
					.stream()
					.filter((node) -> node != dead)
					.map(RedisProcess::connect)
					.toList();
				assertThatFewAreMade(instance, keys, others, A_FEW);
				others.forEach(Jedis::close);
			});
		}
	}

	/**
	 * As in a rolling upgrade.
	 */
	@ParameterizedTest
	@EnumSource(names = { "JEDIS", "LETTUCE" })
	@Tag("long")
	void subscriptionIsMadeToAClusterAllOfWhoseMastersHaveChanged(Client client) {
		try (RedisCluster cluster = RedisCluster.withReplicas("--cluster-node-timeout", "1500")) {
			cluster.start();
			RedisStores.use(client.connect(cluster), (instance) -> {
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
		replica.with((jedis) -> await().until(() -> {
			jedis.clusterFailover(ClusterFailoverOption.TAKEOVER);
			return jedis.info("replication").contains("role:master");
		}));
	}

	private static boolean isSubscribed(RedisProcess node, TestInstance instance) {
		return node.ask((jedis) -> !jedis.pubsubChannels("*" + instance.id()).isEmpty());
	}

}
