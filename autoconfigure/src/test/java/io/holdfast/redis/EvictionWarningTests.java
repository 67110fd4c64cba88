package io.holdfast.redis;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import io.holdfast.engine.TestInstance;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.test.Connections;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Whether an instance says that its server may evict locks.
 */
@Tag("any-jdk")
class EvictionWarningTests {

	private static final String WARNING = "Redis may evict held locks when its memory is full: its 'maxmemory-policy' is ";

	@RegisterExtension
	static final RedisProcess evicting = new RedisProcess("--maxmemory-policy", "allkeys-lru");

	private final RecordedLog log = new RecordedLog();

	@AfterEach
	void stopRecording() {
		this.log.close();
	}

	static Stream<Function<Integer, RedisConnectionFactory>> clients() {
		return Stream.of(Connections::jedis, Connections::jedisOfOldKind, Connections::lettuce);
	}

	@ParameterizedTest
	@MethodSource("clients")
	void namesThePolicy(Function<Integer, RedisConnectionFactory> client) throws Exception {
		listen(client.apply(evicting.port()), () -> await().untilAsserted(
				() -> assertThat(this.log.lines(WARNING + "allkeys-lru")).singleElement().satisfies((line) -> {
					assertThat(line.level()).isEqualTo("WARN");
					assertThat(line.values()).containsExactly(Map.entry("policy", "allkeys-lru"));
				})));
	}

	@Test
	void isThereForAMasterOfACluster() throws Exception {
		try (RedisCluster cluster = new RedisCluster()) {
			cluster.start();
			cluster.nodes().forEach((node) -> {
				try (Jedis jedis = node.connect()) {
					jedis.configSet("maxmemory-policy", "volatile-ttl");
				}
			});
			listen(Connections.jedisCluster(cluster),
					() -> await().untilAsserted(() -> assertThat(this.log.lines(WARNING + "volatile-ttl")).hasSize(1)));
		}
	}

	@Test
	void isNotThereWithoutEviction() throws Exception {
		try (RedisProcess redis = new RedisProcess()) {
			redis.start();
			try (Jedis jedis = redis.connect()) {
				listen(Connections.jedis(redis.port()), () -> awaitAnswer(jedis));
			}
		}
		assertThat(this.log.lines("evict")).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("clients")
	void comesOnceWhenRedisAnswers(Function<Integer, RedisConnectionFactory> client) throws Exception {
		ask(client.apply(evicting.port()), (question) -> {
			evicting.freeze();
			question.run();
			assertThat(this.log.lines(WARNING)).isEmpty();
			evicting.unfreeze();
			question.run();
			question.run();
			assertThat(this.log.lines(WARNING)).hasSize(1);
		});
	}

	@ParameterizedTest
	@MethodSource("clients")
	void isNotThereForAUserWhoMayNotAsk(Function<Integer, RedisConnectionFactory> client) throws Exception {
		try (RedisProcess redis = new RedisProcess("--maxmemory-policy", "allkeys-lru")) {
			redis.start();
			try (Jedis operator = redis.connect()) {
				operator.aclSetUser("operator", "on", "nopass", "allcommands", "allkeys", "allchannels");
				operator.auth("operator", "any");
				operator.aclSetUser("default", "-info");
				ask(client.apply(redis.port()), (question) -> {
					question.run();
					question.run();
				});
				assertThat(operator.aclLog()).singleElement().satisfies((entry) -> {
					assertThat(entry.getObject()).isEqualTo("info");
					assertThat(entry.getCount()).isOne();
				});
			}
		}
		assertThat(this.log.lines("")).noneMatch((line) -> line.level().equals("WARN"));
	}

	private static void ask(RedisConnectionFactory connections, Consumer<Runnable> test) throws Exception {
		EvictionWarning warning = new EvictionWarning();
		try (LockClient client = new LockClient(LockClient.connectionsLike(connections))) {
			test.accept(() -> warning.ask(client, LockKeys.bytes("key")));
		}
		finally {
			evicting.unfreeze();
			((DisposableBean) connections).destroy();
		}
	}

	/**
	 * An instance asks after its first message to itself, and before the second.
	 */
	private static void awaitAnswer(Jedis server) {
		await().until(() -> CommandCounts.of(server).of("publish") >= 2);
	}

	private static void listen(RedisConnectionFactory connections, Runnable check) throws Exception {
		try (TestInstance instance = new TestInstance(
				(id) -> new RedisLockStore(connections, "holdfast", Duration.ofHours(1), ReplicaAcks.NONE))) {
			instance.template().acquire("k").release();
			check.run();
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

}
