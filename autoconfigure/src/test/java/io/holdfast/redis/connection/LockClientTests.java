package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import io.holdfast.engine.LockStoreException;
import io.holdfast.redis.connection.LockClient.Purpose;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;
import redis.clients.jedis.params.ClientKillParams.SkipMe;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * On which connections Redis is asked.
 */
class LockClientTests {

	private static final byte[] KEY = "key".getBytes(UTF_8);

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	@RegisterExtension
	static final RedisProcess guarded = new RedisProcess();

	static Stream<IntFunction<RedisConnectionFactory>> clients() {
		return Stream.of(Connections::jedis, Connections::jedisOfOldKind, Connections::lettuce);
	}

	private static boolean run(LockConnection connection) {
		return connection.eval("return {redis.call('type', KEYS[1])}".getBytes(UTF_8), ReturnType.MULTI, List.of(KEY),
				List.of()) instanceof List<?>;
	}

	@ParameterizedTest
	@MethodSource("clients")
	void whatIsAskedAloneStaysOnOneConnection(IntFunction<RedisConnectionFactory> factory) throws Exception {
		RedisConnectionFactory connections = factory.apply(redis.port());
		try (LockClient client = new LockClient(LockClient.connectionsLike(connections))) {
			client.ask(null, null, Purpose.ACQUIRE, (outer) -> {
				run(outer);
				client.ask(null, null, Purpose.ACQUIRE, (inner) -> {
					inner.awaitReplicas(0, Duration.ofMillis(1));
					assertThat(lastCommands()).contains("wait").containsAnyOf("eval", "evalsha");
					return true;
				});
				outer.awaitReplicas(0, Duration.ofMillis(1));
				assertThat(lastCommands()).doesNotContain("eval", "evalsha").filteredOn("wait"::equals).hasSize(2);
				return true;
			});
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

	/**
	 * Return the last command of each connection.
	 */
	private static List<String> lastCommands() {
		try (Jedis jedis = redis.connect()) {
			return jedis.clientList().lines().map((line) -> line.replaceAll("(?s).* cmd=(\\S+).*", "$1")).toList();
		}
	}

	@Test
	void someConnectionsAreLeftForLocksThatAreHeld() {
		withOneHanging(Duration.ofSeconds(1), (client) -> {
			assertThat(client.ask("held", KEY, Purpose.HOLD, LockClientTests::run)).isTrue();
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> client.ask("wanted", KEY, Purpose.ACQUIRE, LockClientTests::run))
				.withMessageContainingAll("'wanted'", "None of the 1 connections", "holdfast.redis.pool.max-active")
				.matches(LockStoreException::isTransient);
		});
	}

	@Test
	void permitsAreCountedHoweverConnectionsAreUsed() {
		withOneHanging(Duration.ofSeconds(1), (client) -> {
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> client.ask("wanted", null, Purpose.ACQUIRE, (connection) -> true))
				.withMessageContaining("None of the 1 connections");
			assertThat(client.ask("key", KEY, Purpose.OPERATE, LockClientTests::run)).isTrue();
		});
	}

	@Test
	void operatorsTakeNoConnectionFromCallers() {
		JedisConnectionFactory connections = Connections.jedis(redis.port(), 8, Duration.ofSeconds(1));
		try (LockClient client = new LockClient(JedisLockConnectionFactory.like(connections, 4))) {
			boolean answer = client.ask("key", KEY, Purpose.OPERATE, (operator) -> {
				assertThat(client.ask("wanted", KEY, Purpose.ACQUIRE, LockClientTests::run)).isTrue();
				assertThat(client.ask("held", KEY, Purpose.HOLD, LockClientTests::run)).isTrue();
				assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> client.ask("key", KEY, Purpose.OPERATE, LockClientTests::run))
					.withMessageContaining("The connection for operators did not become free");
				return run(operator);
			});
			assertThat(answer).isTrue();
		}
		finally {
			connections.destroy();
		}
	}

	@Test
	void interruptEndsTheWaitForAPermitAndIsNotForgotten() {
		withOneHanging(Duration.ofMinutes(2), (client) -> {
			Thread caller = Thread.currentThread();
			CompletableFuture<?> interrupter = Threads.start(() -> {
				await().until(caller::getState, Thread.State.TIMED_WAITING::equals);
				caller.interrupt();
				return true;
			});
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> client.ask("wanted", KEY, Purpose.ACQUIRE, LockClientTests::run))
				.withRootCauseInstanceOf(InterruptedException.class);
			assertThat(Thread.interrupted()).isTrue();
			Threads.join(interrupter);
		});
	}

	@Test
	void permitIsReleasedWhateverHappens() {
		JedisConnectionFactory connections = Connections.jedis(redis.port());
		try (LockClient client = new LockClient(JedisLockConnectionFactory.like(connections, 4))) {
			for (int i = 0; i < 3; i++) {
				assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> client.ask("key", KEY, Purpose.OPERATE, (connection) -> connection
						.eval("NONSENSE".getBytes(UTF_8), ReturnType.INTEGER, List.of(KEY), List.of())));
			}
			assertThat(client.ask("key", KEY, Purpose.OPERATE, LockClientTests::run)).isTrue();
		}
		finally {
			connections.destroy();
		}
	}

	private static void withOneHanging(Duration longestWait, Consumer<LockClient> test) {
		JedisConnectionFactory connections = Connections.jedis(redis.port(), 8, longestWait);
		try (LockClient client = new LockClient(JedisLockConnectionFactory.like(connections, 4));
				Jedis jedis = redis.connect()) {
			CommandObject<Object> pop = new CommandObject<>(
					new CommandArguments(Protocol.Command.BLPOP).add("work").add(15).blocking(),
					BuilderFactory.RAW_OBJECT);
			CompletableFuture<?> hanging = Threads.start(() -> client.ask(null, null, Purpose.ACQUIRE,
					(lent) -> ((JedisServer.Lent) lent).connection().executeCommand(pop)));
			await().until(() -> jedis.info("clients").contains("blocked_clients:1"));
			test.accept(client);
			jedis.rpush("work", "done");
			Threads.join(hanging);
		}
		finally {
			connections.destroy();
		}
	}

	static Stream<Arguments> refusals() {
		List<List<String>> refusals = List.of(
				List.of("NOAUTH", "CONFIG SET requirepass s3cret", "CONFIG SET requirepass "),
				List.of("NOPERM", "ACL SETUSER default -eval -evalsha", "ACL SETUSER default +@all"));
		return clients().flatMap((client) -> refusals.stream()
			.map((refusal) -> Arguments.of(client, refusal.get(0), refusal.get(1), refusal.get(2))));
	}

	/**
	 * A password may change on the server some seconds before the application knows it.
	 */
	@ParameterizedTest
	@MethodSource("refusals")
	void refusalIsForGoodOnlyWhereNoRequestWasEverAnswered(IntFunction<RedisConnectionFactory> factory, String reply,
			String refuse, String admit) throws Exception {
		RedisConnectionFactory connections = factory.apply(guarded.port());
		try (Jedis operator = guarded.connect();
				LockClient before = new LockClient(LockClient.connectionsLike(connections))) {
			assertThat(before.ask("k", KEY, Purpose.ACQUIRE, LockClientTests::run)).isTrue();
			command(operator, refuse);
			operator.clientKill(new ClientKillParams().type(ClientType.NORMAL).skipMe(SkipMe.YES));
			await().untilAsserted(() -> assertThat(refusal(before)).message().containsAnyOf(reply, "not connected"));
			assertThat(refusal(before).isTransient()).isTrue();
			try (LockClient after = new LockClient(LockClient.connectionsLike(connections))) {
				await().untilAsserted(() -> assertThat(refusal(after)).hasMessageContaining(reply));
				assertThat(refusal(after).isTransient()).isFalse();
			}
			command(operator, admit);
			await().ignoreExceptions().until(() -> before.ask("k", KEY, Purpose.ACQUIRE, LockClientTests::run));
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

	@ParameterizedTest
	@MethodSource("clients")
	void saysThatRedisHasTooManyClients(IntFunction<RedisConnectionFactory> factory) throws Exception {
		try (RedisProcess full = new RedisProcess("--maxclients", "1")) {
			full.start();
			RedisConnectionFactory connections = factory.apply(full.port());
			try (Jedis only = full.connect();
					LockClient client = new LockClient(LockClient.connectionsLike(connections))) {
				only.ping();
				assertThat(refusal(client)).hasMessageContaining("'maxclients'")
					.matches(LockStoreException::isTransient);
			}
			finally {
				((DisposableBean) connections).destroy();
			}
		}
	}

	private static LockStoreException refusal(LockClient client) {
		return catchThrowableOfType(LockStoreException.class,
				() -> client.ask("k", KEY, Purpose.ACQUIRE, LockClientTests::run));
	}

	private static void command(Jedis operator, String command) {
		String[] words = command.split(" ", -1);
		operator.sendCommand(Protocol.Command.valueOf(words[0]), Arrays.copyOfRange(words, 1, words.length));
	}

}
