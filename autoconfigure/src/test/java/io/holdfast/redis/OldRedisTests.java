package io.holdfast.redis;

import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.test.Client;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

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

	/**
	 * By its version, unless the user may not ask for that.
	 */
	@ParameterizedTest
	@EnumSource
	void isTold(Client client) {
		assertIsTold(client, "Redis 6.0.5 is too old: locks need 6.2");
		try (Jedis operator = redis.connect()) {
			operator.aclSetUser("default", "-info");
			assertIsTold(client, "Redis is too old: locks need 6.2");
			operator.aclSetUser("default", "+info");
		}
	}

	private static void assertIsTold(Client client, String message) {
		RedisStores.use(client.connectPatiently(redis.port()), (instance) -> {
			assertThat(instance.store().check().failure()).hasMessage(message);
			for (LockRequest request : new LockRequest[] { LockRequest.of("k"), LockRequest.of("k").shared(),
					LockRequest.of("k", "l") }) {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> instance.template().acquire(request))
					.withMessageContaining(message);
			}
		});
	}

}
