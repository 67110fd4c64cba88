package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import io.holdfast.engine.LockStoreException;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * On which connections Redis is asked.
 */
class RedisClientTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	static Stream<IntFunction<RedisConnectionFactory>> clients() {
		return Stream.of(Connections::jedis, Connections::jedisOfOldKind, Connections::lettuce);
	}

	@ParameterizedTest
	@MethodSource("clients")
	void whatIsAskedAloneStaysOnOneConnection(IntFunction<RedisConnectionFactory> factory) throws Exception {
		RedisConnectionFactory connections = factory.apply(redis.port());
		try (RedisClient client = new RedisClient(ConnectionSource.of(connections))) {
			client.askAlone(null, (outer) -> {
				List<String> inner = client.askAlone(null, RedisClientTests::idTwice);
				assertThat(inner).hasSize(2).containsOnly(inner.get(0)).doesNotContain(id(outer));
				return inner;
			});
			List<String> later = client.askAlone(null, RedisClientTests::idTwice);
			assertThat(later).containsOnly(later.get(0));
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

	@Test
	void connectionsAreReplacedAfterAnError() {
		JedisConnectionFactory jedis = Connections.jedis(redis.port());
		CountedReplacements connections = new CountedReplacements(jedis, (call) -> {
		});
		try (RedisClient client = new RedisClient(ConnectionSource.of(connections))) {
			StackOverflowError error = new StackOverflowError("for a test");
			assertThatThrownBy(() -> client.ask("key", (connection) -> {
				throw error;
			})).isSameAs(error);
			assertThat(connections.count()).isEqualTo(1);
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> client.ask("key", (connection) -> connection.execute("NOSUCHCOMMAND")));
			assertThat(connections.count()).isEqualTo(1);
		}
		finally {
			jedis.destroy();
		}
	}

	@Test
	void someConnectionsAreLeftForLocksThatAreHeld() {
		withOneHanging(Duration.ofMillis(100), (client) -> {
			assertThat(client.ask("held", RedisConnection::ping)).isEqualTo("PONG");
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> client.askInTurn("wanted", RedisConnection::ping))
				.withMessageContainingAll("'wanted'", "None of the 1 connections", "holdfast.redis.pool.max-active")
				.matches(LockStoreException::isTransient);
		});
	}

	@Test
	void turnsAreCountedHoweverConnectionsAreUsed() {
		withOneHanging(Duration.ofMillis(100),
				(client) -> assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> client.askAlone("wanted", RedisConnection::ping))
					.withMessageContaining("None of the 1 connections"));
	}

	@Test
	void interruptEndsTheWaitForATurnAndIsNotForgotten() {
		withOneHanging(Duration.ofMinutes(2), (client) -> {
			Thread caller = Thread.currentThread();
			CompletableFuture<?> interrupter = Threads.start(() -> {
				await().until(caller::getState, Thread.State.TIMED_WAITING::equals);
				caller.interrupt();
				return true;
			});
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> client.askInTurn("wanted", RedisConnection::ping))
				.withRootCauseInstanceOf(InterruptedException.class);
			assertThat(Thread.interrupted()).isTrue();
			Threads.join(interrupter);
		});
	}

	@Test
	void turnIsGivenBackWhateverHappens() {
		JedisConnectionFactory connections = Connections.jedis(redis.port(), 3);
		try (RedisClient client = new RedisClient(new ConnectionSource(connections, 1, Duration.ofMillis(100)))) {
			for (int i = 0; i < 3; i++) {
				assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> client.askInTurn("k", (connection) -> connection.execute("NONSENSE")));
			}
			assertThat(client.askInTurn("k", RedisConnection::ping)).isEqualTo("PONG");
		}
		finally {
			connections.destroy();
		}
	}

	private static void withOneHanging(Duration patience, Consumer<RedisClient> test) {
		JedisConnectionFactory connections = Connections.jedis(redis.port(), 3, Duration.ofSeconds(20));
		try (RedisClient client = new RedisClient(new ConnectionSource(connections, 1, patience));
				Jedis jedis = redis.connect()) {
			CompletableFuture<?> hanging = Threads.start(() -> client.askInTurn("hanging",
					(connection) -> connection.listCommands().bLPop(15, "work".getBytes(UTF_8))));
			await().until(() -> jedis.info("clients").contains("blocked_clients:1"));
			test.accept(client);
			jedis.rpush("work", "done");
			Threads.join(hanging);
		}
		finally {
			connections.destroy();
		}
	}

	private static List<String> idTwice(RedisConnection connection) {
		return List.of(id(connection), id(connection));
	}

	private static String id(RedisConnection connection) {
		Object reply = connection.execute("CLIENT", "INFO".getBytes(UTF_8));
		String info = (reply instanceof byte[] bytes) ? new String(bytes, UTF_8) : (String) reply;
		return info.substring(0, info.indexOf(' '));
	}

}
