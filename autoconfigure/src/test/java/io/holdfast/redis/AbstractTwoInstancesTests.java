package io.holdfast.redis;

import java.time.Duration;
import java.util.UUID;

import io.holdfast.engine.TestInstance;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Two instances that share locks on Redis, for what locks behind other interfaces.
 */
public abstract class AbstractTwoInstancesTests {

	@RegisterExtension
	protected static final RedisProcess redis = new RedisProcess();

	private final JedisConnectionFactory connections = Connections.patientJedis(redis.port());

	protected final String prefix = UUID.randomUUID().toString();

	protected final TestInstance instance = instance();

	protected final TestInstance other = instance();

	private TestInstance instance() {
		return new TestInstance(
				(id) -> new RedisLockStore(this.connections, this.prefix, Duration.ofHours(1), ReplicaAcks.NONE));
	}

	@AfterEach
	void close() {
		this.instance.close();
		this.other.close();
		this.connections.destroy();
	}

}
