package io.holdfast.redis.connection;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

import io.holdfast.engine.LockStoreException;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.RedisReplication;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.PoolException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * What callers are told when Redis refuses a request or cannot be asked.
 */
class RedisFailuresTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess("--requirepass", "s3cret");

	@Test
	void namesAnUnknownHostAsSuch() {
		RuntimeException failure = new JedisConnectionException("Failed to create socket.",
				new UnknownHostException("nowhere"));
		LockStoreException translated = RedisFailures.translate("k", failure, false);
		assertThat(translated).hasMessage("Redis failed on lock 'k': unknown host, nowhere").hasCause(failure);
		assertThat(translated.isTransient()).isTrue();
	}

	@Test
	void takesASocketThatAnInterruptHasClosedForAnInterrupt() {
		RuntimeException failure = new JedisConnectionException(new SocketException("Closed by interrupt"));
		assertThat(RedisFailures.isInterrupt(failure)).isFalse();
		assertThat(RedisFailures.translate("k", failure, false)).hasCause(failure);
		Thread.currentThread().interrupt();
		try {
			assertThat(RedisFailures.isInterrupt(failure)).isTrue();
			LockStoreException translated = RedisFailures.translate("k", failure, false);
			assertThat(translated).hasMessage("Redis failed on lock 'k': interrupted while waiting for the answer")
				.hasCauseInstanceOf(InterruptedException.class);
			assertThat(translated.getCause()).hasSuppressedException(failure);
			assertThat(translated.isConnectionUseless()).isFalse();
		}
		finally {
			Thread.interrupted();
		}
	}

	@Test
	void doesNotRepeatARequestWhosePasswordIsMissing() {
		try (Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
			JedisDataException failure = catchThrowableOfType(JedisDataException.class, () -> jedis.get("k"));
			LockStoreException translated = RedisFailures.translate("k", failure, false);
			assertThat(translated).hasMessageContaining("it wants a password, NOAUTH");
			assertThat(translated.isTransient()).isFalse();
		}
		// what Redis 7 answers to a request of more than ten parts, before it closes the
		// connection
		LockStoreException longer = RedisFailures.translate("k",
				new JedisDataException("ERR Protocol error: unauthenticated multibulk length"), false);
		assertThat(longer).hasMessageContaining("it wants a password, ");
		assertThat(longer.isTransient()).isFalse();
	}

	@Test
	void knowsTheRepliesOfAServerThatIsNotTheMaster() {
		try (RedisReplication servers = new RedisReplication(1)) {
			servers.start();
			try (Jedis replica = servers.replica(0).connect()) {
				assertThat(refusal(replica, "return redis.call('SET', 'k', 'v')")).contains("READONLY ")
					.satisfies(RedisFailuresTests::isNotMaster);
				replica.configSet("replica-serve-stale-data", "no");
				servers.master().kill();
				await().untilAsserted(
						() -> assertThat(refusal(replica, "return redis.call('GET', 'k')")).contains("MASTERDOWN ")
							.satisfies(RedisFailuresTests::isNotMaster));
			}
		}
	}

	@Test
	void knowsTheReplyOfAMasterThatHasLostItsReplicas() {
		try (RedisProcess master = new RedisProcess("--min-replicas-to-write", "1")) {
			master.start();
			try (Jedis jedis = master.connect()) {
				assertThat(refusal(jedis, "return redis.call('SET', 'k', 'v')")).contains("NOREPLICAS ")
					.satisfies(RedisFailuresTests::isNotMaster);
			}
		}
	}

	@Test
	void knowsTheReplyOfANodeThatHasLostItsCluster() {
		try (RedisProcess node = new RedisProcess("--cluster-enabled", "yes")) {
			node.start();
			try (Jedis jedis = node.connect()) {
				assertThat(refusal(jedis, "return redis.call('SET', KEYS[1], 'v')", "k"))
					.satisfies(RedisFailuresTests::isNotMaster);
			}
		}
	}

	/**
	 * What Redis 6.2 replies for a script, and what needs a moment in which a server
	 * changes.
	 */
	@ParameterizedTest
	@ValueSource(strings = {
			"ERR Error running script (call to f_1a): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica.",
			"ERR user_script:63: READONLY You can't write against a read only replica. script: 1a, on @user_script:63.",
			"LOADING Redis is loading the dataset in memory",
			"UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)" })
	void knowsOtherRepliesOfAServerThatIsNotTheMaster(String reply) {
		isNotMaster(reply);
	}

	@ParameterizedTest
	@ValueSource(strings = { "WRONGTYPE Operation against a key holding the wrong kind of value (lock 'READONLY')",
			"NOPERM User app has no permissions to run the 'readonly' command",
			"OOM command not allowed when used memory > 'maxmemory'." })
	void otherRepliesAreAMasters(String reply) {
		assertThat(RedisFailures.isNotMaster(new JedisDataException(reply))).isFalse();
	}

	static Stream<Arguments> failures() {
		return Stream.of(Arguments.of(new JedisConnectionException("Unexpected end of stream."), true),
				Arguments.of(new JedisConnectionException(new SocketException("Connection reset")), true),
				Arguments.of(new JedisConnectionException(new SSLException("Broken pipe")), true),
				Arguments.of(new RedisException("Connection disconnected"), true),
				Arguments.of(new RedisException("Currently not connected. Commands are rejected."), true),
				Arguments.of(new RedisException("Connection closed"), true),
				Arguments.of(new RedisException("Connection is closed"), true),
				Arguments.of(new RedisException(new CancellationException()), true),
				Arguments.of(new RedisException(new ClosedChannelException()), true),
				Arguments.of(new RedisConnectionFailureException("Connection reset",
						new JedisConnectionException(new SocketException("Connection reset"))), true),
				Arguments.of(new RedisException(new IOException("Broken pipe")), true),
				Arguments.of(new JedisDataException("READONLY You can't write against a read only replica."), true),
				Arguments.of(new JedisDataException("BUSY Redis is busy running a script."), false),
				Arguments.of(new JedisConnectionException("Failed to connect to 127.0.0.1:1."), false),
				Arguments.of(
						new JedisConnectionException("Failed to create socket.", new UnknownHostException("nowhere")),
						false),
				Arguments.of(new RedisConnectionException("Unable to connect", new SSLHandshakeException("expired")),
						false),
				Arguments.of(new JedisConnectionException(new SSLPeerUnverifiedException("another host")), false),
				Arguments.of(new JedisConnectionException(new SSLException("Unsupported or unrecognized SSL message")),
						false),
				Arguments.of(new JedisConnectionException(new SocketTimeoutException("Read timed out")), false),
				Arguments.of(new JedisException("Could not get a resource from the pool"), false),
				Arguments.of(new RedisConnectionException("Unable to connect", new ConnectException("refused")), false),
				Arguments.of(new RedisCommandTimeoutException("Command timed out"), false),
				Arguments.of(new PoolException("None of the connections became free"), false));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void tellsAUselessConnectionFromAServerThatDoesNotAnswer(RuntimeException failure, boolean lost) {
		assertThat(RedisFailures.translate("k", failure, true).isConnectionUseless()).isEqualTo(lost);
	}

	private static String refusal(Jedis jedis, String script, String... keys) {
		return String
			.valueOf(catchThrowableOfType(JedisDataException.class, () -> jedis.eval(script, List.of(keys), List.of()))
				.getMessage());
	}

	private static void isNotMaster(String reply) {
		assertThat(RedisFailures
			.isNotMaster(new RedisSystemException("Error in execution", new JedisDataException(reply)))).isTrue();
	}

}
