package io.holdfast.redis.connection;

import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

import io.holdfast.engine.LockStoreException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.PoolException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What callers are told when Redis refuses a request or cannot be asked, and what becomes
 * of the connection.
 */
class RedisFailuresTests {

	/**
	 * Replies as Redis 6.2 and later ones give them, some of which need a moment in which
	 * a server changes.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					READONLY You can't write against a read only replica.                  | true
					ERR Error running script (call to f_1a): @user_script:1: @user_script: 1: -READONLY You can't write | true
					ERR user_script:63: READONLY You can't write against a read only replica. script: 1a, on @user_script:63. | true
					MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'. | true
					NOREPLICAS Not enough good replicas to write.                          | true
					CLUSTERDOWN Hash slot not served                                       | true
					LOADING Redis is loading the dataset in memory                         | true
					UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?) | true
					WRONGTYPE Operation against a key holding the wrong kind of value | false
					NOPERM User app has no permissions to run the 'readonly' command       | false
					OOM command not allowed when used memory > 'maxmemory'.                | false
					BUSY Redis is busy running a script.                                   | false
					""")
	void knowsTheRepliesOfAServerThatIsNotTheMaster(String reply, boolean known) {
		assertThat(RedisFailures.isNotMaster(new JedisDataException(reply))).isEqualTo(known);
	}

	static Stream<Arguments> failures() {
		return Stream.concat(
				Stream
					.of(new JedisConnectionException("Unexpected end of stream."),
							new JedisConnectionException(new SocketException("Connection reset")),
							new JedisConnectionException(new SSLException("Broken pipe")),
							new RedisException("Connection disconnected"),
							new RedisException("Currently not connected. Commands are rejected."),
							new RedisException("Connection closed"), new RedisException("Connection is closed"),
							new RedisException(new CancellationException()),
							new RedisException(new ClosedChannelException()),
							new RedisConnectionException("Unable to connect",
									new IllegalStateException("RedisHandshakeHandler not registered")),
							new RedisConnectionFailureException("Connection reset",
									new JedisConnectionException(new SocketException("Connection reset"))),
							new JedisDataException("READONLY You can't write against a read only replica."))
					.map((failure) -> Arguments.of(failure, true)),
				Stream
					.of(new JedisDataException("BUSY Redis is busy running a script."),
							new JedisConnectionException("Failed to connect to 127.0.0.1:1."),
							new JedisConnectionException("Failed to create socket.",
									new UnknownHostException("nowhere")),
							new RedisConnectionException("Unable to connect", new SSLHandshakeException("expired")),
							new JedisConnectionException(new SSLException("Unsupported or unrecognized SSL message")),
							new JedisConnectionException(new SocketTimeoutException("Read timed out")),
							new JedisException("Could not get a resource from the pool"),
							new RedisConnectionException("Unable to connect", new ConnectException("refused")),
							new RedisCommandTimeoutException("Command timed out"),
							new PoolException("None of the connections became free"))
					.map((failure) -> Arguments.of(failure, false)));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void tellsAUselessConnectionFromAServerThatDoesNotAnswer(RuntimeException failure, boolean useless) {
		assertThat(RedisFailures.translate("k", failure, true).isConnectionUseless()).isEqualTo(useless);
	}

	@Test
	void takesASocketThatAnInterruptHasClosedForAnInterrupt() {
		RuntimeException failure = new JedisConnectionException(new SocketException("Closed by interrupt"));
		assertThat(RedisFailures.isInterrupt(failure)).isFalse();
		Thread.currentThread().interrupt();
		try {
			LockStoreException translated = RedisFailures.translate("k", failure, false);
			assertThat(translated).hasMessageContainingAll("'k'", "interrupted")
				.hasCauseInstanceOf(InterruptedException.class);
			assertThat(translated.isConnectionUseless()).isFalse();
		}
		finally {
			Thread.interrupted();
		}
	}

	/**
	 * The second is what Redis 7 answers to a request of more than ten parts, before it
	 * closes the connection.
	 */
	@ParameterizedTest
	@ValueSource(
			strings = { "NOAUTH Authentication required.", "ERR Protocol error: unauthenticated multibulk length" })
	void doesNotRepeatARequestWhosePasswordIsMissing(String reply) {
		LockStoreException translated = RedisFailures.translate("k", new JedisDataException(reply), false);
		assertThat(translated).hasMessageContaining("wants a password");
		assertThat(translated.isTransient()).isFalse();
	}

	/**
	 * Lettuce says so now and then instead of the server's refusal, which it has not
	 * read.
	 */
	@Test
	void namesWhyAConnectionMayBeClosedAsSoonAsItIsOpened() {
		assertThat(RedisFailures.translate("k",
				new RedisConnectionException("Unable to connect",
						new IllegalStateException("RedisHandshakeHandler not registered")),
				false))
			.hasMessageContaining("'maxclients'")
			.matches(LockStoreException::isTransient);
	}

	@Test
	void namesAnUnknownHostAsSuch() {
		LockStoreException translated = RedisFailures.translate("k",
				new JedisConnectionException("Failed to create socket.", new UnknownHostException("nowhere")), false);
		assertThat(translated).hasMessageContainingAll("'k'", "unknown host", "nowhere");
		assertThat(translated.isTransient()).isTrue();
	}

}
