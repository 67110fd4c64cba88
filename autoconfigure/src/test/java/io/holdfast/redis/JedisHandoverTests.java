package io.holdfast.redis;

import java.time.Duration;

import io.holdfast.engine.AbstractHandoverTests;
import io.holdfast.engine.LockStore;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Hand-overs on one Redis, with Jedis.
 */
class JedisHandoverTests extends AbstractHandoverTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static JedisConnectionFactory connections;

	@BeforeAll
	static void connect() {
		connections = Connections.jedis(redis.port());
	}

	@AfterAll
	static void disconnect() {
		connections.destroy();
	}

	@Override
	protected LockStore store(String instanceId) {
		return new RedisLockStore(connections, "holdfast", instanceId, Duration.ofHours(24));
	}

}
