package io.holdfast.test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisMovedDataException;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.script.DefaultRedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * The servers that tests run on, and how the clients get on with them.
 */
@Tag("any-jdk")
@Tag("slow")
class RedisServersTests {

	@Nested
	class Replication {

		@RegisterExtension
		static final RedisReplication servers = new RedisReplication(2);

		@Test
		void replicasHaveWhatTheMasterHas() {
			try (Jedis master = servers.master().connect()) {
				master.set("k", "v");
				assertThat(master.waitReplicas(2, 10_000)).isEqualTo(2);
			}
			for (RedisProcess replica : servers.replicas()) {
				try (Jedis jedis = replica.connect()) {
					assertThat(jedis.get("k")).isEqualTo("v");
				}
			}
		}

	}

	@Nested
	class Cluster {

		@RegisterExtension
		static final RedisCluster cluster = new RedisCluster();

		static JedisConnectionFactory jedis;

		static LettuceConnectionFactory lettuce;

		@BeforeAll
		static void connect() {
			jedis = Connections.jedisCluster(cluster);
			lettuce = Connections.lettuceCluster(cluster);
		}

		@AfterAll
		static void disconnect() {
			jedis.destroy();
			lettuce.destroy();
		}

		static Stream<RedisConnectionFactory> clients() {
			return Stream.of(jedis, lettuce);
		}

		/**
		 * One key for each node.
		 */
		private List<String> keys() {
			return cluster.nodes()
				.stream()
				.map((node) -> IntStream.range(0, 1000)
					.mapToObj((number) -> "{k" + number + "}")
					.filter((key) -> cluster.nodeOf(key) == node)
					.findFirst()
					.orElseThrow())
				.toList();
		}

		@ParameterizedTest
		@MethodSource("clients")
		void keysAreOnTheNodesOfTheirSlots(RedisConnectionFactory client) {
			List<String> keys = keys();
			try (RedisConnection connection = client.getConnection()) {
				keys.forEach((key) -> connection.stringCommands().set(bytes(key), bytes("of " + key)));
				keys.forEach((key) -> assertThat(connection.stringCommands().get(bytes(key))).asString()
					.isEqualTo("of " + key));
			}
			for (int i = 0; i < keys.size(); i++) {
				String elsewhere = keys.get((i + 1) % keys.size());
				try (Jedis node = cluster.nodeOf(keys.get(i)).connect()) {
					assertThat(node.get(keys.get(i))).isEqualTo("of " + keys.get(i));
					assertThatExceptionOfType(JedisMovedDataException.class).isThrownBy(() -> node.get(elsewhere));
				}
			}
		}

		@ParameterizedTest
		@MethodSource("clients")
		void scriptsRunByDigestOnceTheNodeKnowsThem(RedisConnectionFactory client) {
			String script = "redis.call('set', KEYS[1], ARGV[1]) return {redis.call('get', KEYS[2])} -- "
					+ client.getClass().getName();
			try (RedisConnection connection = client.getConnection()) {
				for (String key : keys()) {
					byte[] other = bytes(key + ":other");
					connection.stringCommands().set(other, bytes("other"));
					assertThatThrownBy(() -> evalSha(connection, script, bytes(key), other, bytes("v")))
						.satisfies((failure) -> assertThat(NestedExceptionUtils.getMostSpecificCause(failure))
							.hasMessageContaining("NOSCRIPT"));
					List<?> evaluated = connection.scriptingCommands()
						.eval(bytes(script), ReturnType.MULTI, 2, bytes(key), other, bytes("v"));
					assertThat(evaluated.get(0)).isEqualTo(bytes("other"));
					assertThat(evalSha(connection, script, bytes(key), other, bytes("w")).get(0))
						.isEqualTo(bytes("other"));
					assertThat(connection.stringCommands().get(bytes(key))).isEqualTo(bytes("w"));
				}
			}
		}

		@ParameterizedTest
		@MethodSource("clients")
		void messagesOfScriptsOnAnyNodeReachASubscriber(RedisConnectionFactory client) {
			Queue<String> received = new ConcurrentLinkedQueue<>();
			RedisConnection subscribed = client.getConnection();
			CompletableFuture<@Nullable Object> subscription = Threads.start(() -> {
				subscribed.subscribe((message, pattern) -> received.add(text(message.getBody())), bytes("channel"));
				return null;
			});
			await().until(() -> subscribers() == 1);
			List<String> keys = keys();
			try (RedisConnection connection = client.getConnection()) {
				for (String key : keys) {
					connection.scriptingCommands()
						.eval(bytes("return redis.call('publish', ARGV[1], KEYS[1])"), ReturnType.INTEGER, 1,
								bytes(key), bytes("channel"));
				}
			}
			await().untilAsserted(() -> assertThat(received).containsExactlyInAnyOrderElementsOf(keys));
			subscribed.getSubscription().close();
			Threads.join(subscription);
			await().until(() -> subscribers() == 0);
			subscribed.close();
		}

		private long subscribers() {
			return cluster.nodes().stream().mapToLong((node) -> {
				try (Jedis jedis = node.connect()) {
					return jedis.pubsubNumSub("channel").get("channel");
				}
			}).sum();
		}

		private List<?> evalSha(RedisConnection connection, String script, byte[]... keysAndArguments) {
			byte[] digest = bytes(new DefaultRedisScript<>(script).getSha1());
			return connection.scriptingCommands().evalSha(digest, ReturnType.MULTI, 2, keysAndArguments);
		}

	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
