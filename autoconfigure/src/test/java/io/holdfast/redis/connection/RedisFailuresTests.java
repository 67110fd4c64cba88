package io.holdfast.redis.connection;

import java.net.SocketException;
import java.net.UnknownHostException;

import io.holdfast.engine.store.LockStoreException;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

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
		LockStoreException translated = RedisFailures.translate("k", failure);
		assertThat(translated).hasMessage("Redis failed on lock 'k': unknown host, nowhere").hasCause(failure);
		assertThat(translated.isTransient()).isTrue();
	}

	@Test
	void takesASocketThatAnInterruptHasClosedForAnInterrupt() {
		RuntimeException failure = new JedisConnectionException(new SocketException("Closed by interrupt"));
		assertThat(RedisFailures.isInterrupt(failure)).isFalse();
		assertThat(RedisFailures.translate("k", failure)).hasCause(failure);
		Thread.currentThread().interrupt();
		try {
			assertThat(RedisFailures.isInterrupt(failure)).isTrue();
			LockStoreException translated = RedisFailures.translate("k", failure);
			assertThat(translated).hasMessage("Redis failed on lock 'k': interrupted while waiting for the answer")
				.hasCauseInstanceOf(InterruptedException.class);
			assertThat(translated.getCause()).hasSuppressedException(failure);
		}
		finally {
			Thread.interrupted();
		}
	}

	@Test
	void doesNotRepeatARequestWhosePasswordIsMissing() {
		try (Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
			JedisDataException failure = catchThrowableOfType(JedisDataException.class, () -> jedis.get("k"));
			LockStoreException translated = RedisFailures.translate("k", failure);
			assertThat(translated).hasMessageContaining("it wants a password, NOAUTH");
			assertThat(translated.isTransient()).isFalse();
		}
		// what Redis 7 answers to a request of more than ten parts, before it closes the
		// connection
		LockStoreException longer = RedisFailures.translate("k",
				new JedisDataException("ERR Protocol error: unauthenticated multibulk length"));
		assertThat(longer).hasMessageContaining("it wants a password, ");
		assertThat(longer.isTransient()).isFalse();
	}

}
