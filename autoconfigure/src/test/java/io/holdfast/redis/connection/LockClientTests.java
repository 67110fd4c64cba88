package io.holdfast.redis.connection;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.holdfast.engine.LockStoreException;
import io.holdfast.redis.connection.LockClient.Purpose;
import io.holdfast.test.Client;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
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
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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

	private static boolean run(LockConnection connection) {
		return connection.eval("return {redis.call('type', KEYS[1])}".getBytes(UTF_8), ReturnType.MULTI, List.of(KEY),
				List.of()) instanceof List<?>;
	}

	private static void withFourConnections(Consumer<LockClient> test) {
		withFourConnections(Connections.jedis(redis.port()), test);
	}

	private static void withFourConnections(JedisConnectionFactory connections, Consumer<LockClient> test) {
		try (LockClient client = new LockClient(JedisLockConnectionFactory.like(connections, 4))) {
			test.accept(client);
		}
		finally {
			connections.destroy();
		}
	}

	/**
	 * One for locks that are held, one for operators, one for the subscription.
	 */
	@Test
	void someConnectionsAreLeftForOtherPurposes() {
		withFourConnections((client) -> client.ask("first", KEY, Purpose.ACQUIRE,
				(acquiring) -> client.ask("key", KEY, Purpose.OPERATE, (operator) -> {
					assertThat(client.ask("held", KEY, Purpose.HOLD, LockClientTests::run)).isTrue();
					assertThatExceptionOfType(LockStoreException.class)
						.isThrownBy(() -> client.ask("wanted", KEY, Purpose.ACQUIRE, LockClientTests::run))
						.withMessageContainingAll("'wanted'", "connections", "holdfast.redis.pool.max-active")
						.matches(LockStoreException::isTransient);
					assertThatExceptionOfType(LockStoreException.class)
						.isThrownBy(() -> client.ask("key", KEY, Purpose.OPERATE, LockClientTests::run))
						.withMessageContaining("operators");
					return true;
				})));
	}

	@Test
	void interruptEndsTheWaitForOneAndIsNotForgotten() {
		withFourConnections(Connections.patientJedis(redis.port()),
				(client) -> client.ask("first", KEY, Purpose.ACQUIRE, (acquiring) -> {
					Thread caller = Thread.currentThread();
					CompletableFuture<Boolean> interrupter = Threads.start(() -> {
						await().until(caller::getState, Thread.State.TIMED_WAITING::equals);
						caller.interrupt();
						return true;
					});
					assertThatExceptionOfType(LockStoreException.class)
						.isThrownBy(() -> client.ask("wanted", KEY, Purpose.ACQUIRE, LockClientTests::run))
						.withRootCauseInstanceOf(InterruptedException.class);
					assertThat(Thread.interrupted()).isTrue();
					return Threads.join(interrupter);
				}));
	}

	@Test
	void errorsLeaveNoReplyForTheNextRequestAndDoNotAddUp() {
		OutOfMemoryError error = new OutOfMemoryError("for a test");
		withFourConnections((client) -> {
			for (int i = 0; i < 50; i++) {
				assertThatThrownBy(() -> client.ask("key", KEY, Purpose.ACQUIRE, (connection) -> {
					((JedisServer.Lent) connection).connection().sendCommand(Protocol.Command.EVAL, "return 2", "0");
					throw error;
				})).isSameAs(error);
				assertThat(client.ask("key", KEY, Purpose.ACQUIRE, LockClientTests::run)).isTrue();
			}
			redis.with((jedis) -> await().until(() -> jedis.clientList().lines().count() <= 1 + 4));
		});
	}

	/**
	 * It may have been closed just after its last answer.
	 */
	@ParameterizedTest
	@EnumSource
	void noneThatWasInUseWhenAnotherFailedIsUsedAgain(Client kind) {
		RedisConnectionFactory connections = kind.connectPatiently(redis.port());
		try (Jedis operator = redis.connect();
				LockClient client = new LockClient(LockClient.connectionsLike(connections))) {
			client.ask("idle", null, Purpose.HOLD, (one) -> client.ask("in use", null, Purpose.HOLD, (answered) -> {
				assertThat(run(one) && run(answered)).isTrue();
				operator.clientKill(new ClientKillParams().type(ClientType.NORMAL).skipMe(SkipMe.YES));
				assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> client.ask("fails", null, Purpose.HOLD, (failing) -> run(one)))
					.matches(LockStoreException::isConnectionUseless);
				return true;
			}));
			assertThat(client.ask("again", null, Purpose.HOLD, LockClientTests::run)).isTrue();
		}
		finally {
			disconnect(connections);
		}
	}

	static Stream<Arguments> refusals() {
		List<List<String>> refusals = List.of(
				List.of("NOAUTH", "CONFIG SET requirepass s3cret", "CONFIG SET requirepass "),
				List.of("NOPERM", "ACL SETUSER default -eval -evalsha", "ACL SETUSER default +@all"));
		return Stream.of(Client.values())
			.flatMap((client) -> refusals.stream()
				.map((refusal) -> Arguments.of(client, refusal.get(0), refusal.get(1), refusal.get(2))));
	}

	/**
	 * A password may change on the server some seconds before the application knows it.
	 */
	@ParameterizedTest
	@MethodSource("refusals")
	void refusalIsForGoodOnlyWhereNoRequestWasEverAnswered(Client kind, String reply, String refuse, String admit) {
		RedisConnectionFactory connections = kind.connect(guarded.port());
		try (Jedis operator = guarded.connect();
				LockClient before = new LockClient(LockClient.connectionsLike(connections))) {
			await().ignoreExceptions().until(() -> before.ask("k", KEY, Purpose.ACQUIRE, LockClientTests::run));
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
			disconnect(connections);
		}
	}

	@ParameterizedTest
	@EnumSource
	void saysThatRedisHasTooManyClients(Client kind) {
		try (RedisProcess full = new RedisProcess("--maxclients", "1")) {
			full.start();
			RedisConnectionFactory connections = kind.connectPatiently(full.port());
			try (Jedis only = full.connect();
					LockClient client = new LockClient(LockClient.connectionsLike(connections))) {
				only.ping();
				assertThat(refusal(client)).hasMessageContaining("'maxclients'")
					.matches(LockStoreException::isTransient);
			}
			finally {
				disconnect(connections);
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

	private static void disconnect(RedisConnectionFactory connections) {
		try {
			((DisposableBean) connections).destroy();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
