package io.holdfast.redis;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

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
		try (RedisClient client = new RedisClient(ConnectionSources.only(connections))) {
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

	private static List<String> idTwice(RedisConnection connection) {
		return List.of(id(connection), id(connection));
	}

	private static String id(RedisConnection connection) {
		Object reply = connection.execute("CLIENT", "INFO".getBytes(UTF_8));
		String info = (reply instanceof byte[] bytes) ? new String(bytes, UTF_8) : (String) reply;
		return info.substring(0, info.indexOf(' '));
	}

}
