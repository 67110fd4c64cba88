package io.holdfast.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.test.Connections;
import io.holdfast.test.Inherited;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Threads that use connections: what they know of those who start them, and what becomes
 * of them when something goes wrong that never should.
 */
public abstract class AbstractThreadsTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	protected final JedisConnectionFactory connections = Connections.jedis(redis.port());

	protected final Set<Inherited> known = ConcurrentHashMap.newKeySet();

	protected final AtomicInteger errors = new AtomicInteger();

	protected final DisturbedConnections disturbed = new DisturbedConnections(this.connections, (call) -> {
		this.known.add(Inherited.here());
		if (this.errors.getAndDecrement() > 0) {
			throw new OutOfMemoryError("for a test");
		}
	});

	@AfterEach
	void close() {
		this.connections.destroy();
	}

}
