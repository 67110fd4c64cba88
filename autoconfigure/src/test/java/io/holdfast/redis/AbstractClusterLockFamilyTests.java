package io.holdfast.redis;

import java.time.Duration;

import io.holdfast.engine.AbstractLockFamilyTests;
import io.holdfast.engine.LockStore;
import io.holdfast.test.RedisCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.awaitility.Awaitility.await;

/**
 * Shared and fair locks and several keys, in slots of a Cluster that are most likely
 * different.
 *
 * @param <F> the kind of connections
 */
abstract class AbstractClusterLockFamilyTests<F extends RedisConnectionFactory & DisposableBean>
		extends AbstractLockFamilyTests {

	@RegisterExtension
	static final RedisCluster cluster = new RedisCluster();

	private final F connections = connect(cluster);

	protected abstract F connect(RedisCluster cluster);

	@AfterEach
	void disconnect() throws Exception {
		closeInstances();
		this.connections.destroy();
	}

	@Override
	protected LockStore store(String instanceId) {
		return new RedisLockStore(this.connections, "holdfast", instanceId, Duration.ofHours(24));
	}

	@Override
	protected void takeAway(String key) {
		try (Jedis jedis = cluster.nodeOf("holdfast:{" + key + "}").connect()) {
			jedis.del("holdfast:{" + key + "}");
		}
	}

	@Override
	protected void awaitQueued(String key, int waiters) {
		try (Jedis jedis = cluster.nodeOf("holdfast:{" + key + "}").connect()) {
			await().until(() -> jedis.zcard("holdfast:{" + key + "}:queue") == waiters);
		}
	}

}
