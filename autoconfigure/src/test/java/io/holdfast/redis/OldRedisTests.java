package io.holdfast.redis;

import java.time.Duration;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A Redis that lacks what locks need. {@code servers/run} has one.
 */
@Tag("any-jdk")
@EnabledIfSystemProperty(named = "holdfast.test.redis", matches = ".*redis-6\\.0.*")
class OldRedisTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	static Stream<IntFunction<RedisConnectionFactory>> clients() {
		return Stream.of(Connections::jedis, Connections::jedisOfOldKind, Connections::lettuce);
	}

	@ParameterizedTest
	@MethodSource("clients")
	void isToldByItsVersion(IntFunction<RedisConnectionFactory> client) throws Exception {
		assertIsTold(client, "Redis 6.0.5 is too old: locks need 6.2");
	}

	@ParameterizedTest
	@MethodSource("clients")
	void isToldWithoutItsVersionToAUserWhoMayNotAsk(IntFunction<RedisConnectionFactory> client) throws Exception {
		try (Jedis operator = redis.connect()) {
			operator.aclSetUser("default", "-info");
			assertIsTold(client, "Redis is too old: locks need 6.2");
			operator.aclSetUser("default", "+info");
		}
	}

	private static void assertIsTold(IntFunction<RedisConnectionFactory> client, String message) throws Exception {
		RedisConnectionFactory connections = client.apply(redis.port());
		try (TestInstance instance = new TestInstance(
				(id) -> new RedisLockStore(connections, "holdfast", Duration.ofHours(1), ReplicaAcks.NONE))) {
			assertThat(instance.store().check().failure()).hasMessage(message);
			for (LockRequest request : new LockRequest[] { LockRequest.of("k"), LockRequest.of("k").shared(),
					LockRequest.of("k", "l") }) {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> instance.template().acquire(request))
					.withMessageContaining(message);
			}
		}
		finally {
			((DisposableBean) connections).destroy();
		}
	}

}
