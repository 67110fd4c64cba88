package io.holdfast.redis;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStores;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.TestServer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Locks on one Redis or on a Cluster, by one of the clients.
 */
public final class RedisStores implements LockStores {

	private final TestServer server;

	private final Function<String, RedisProcess> nodeOf;

	private final Supplier<RedisConnectionFactory> connect;

	private @Nullable RedisConnectionFactory connections;

	private RedisStores(TestServer server, Function<String, RedisProcess> nodeOf,
			Supplier<RedisConnectionFactory> connect) {
		this.server = server;
		this.nodeOf = nodeOf;
		this.connect = connect;
	}

	public static RedisStores jedis() {
		return single(Connections::patientJedis);
	}

	public static RedisStores jedis(RedisProcess server) {
		return single(server, Connections::patientJedis);
	}

	public static RedisStores lettuce() {
		return single(Connections::patientLettuce);
	}

	public static RedisStores jedisCluster() {
		return cluster(Connections::patientJedisCluster);
	}

	public static RedisStores lettuceCluster() {
		return cluster(Connections::patientLettuceCluster);
	}

	private static RedisStores single(Function<Integer, RedisConnectionFactory> connect) {
		return single(new RedisProcess(), connect);
	}

	private static RedisStores single(RedisProcess server, Function<Integer, RedisConnectionFactory> connect) {
		return new RedisStores(server, (key) -> server, () -> connect.apply(server.port()));
	}

	private static RedisStores cluster(Function<RedisCluster, RedisConnectionFactory> connect) {
		RedisCluster cluster = new RedisCluster();
		return new RedisStores(cluster, cluster::nodeOf, () -> connect.apply(cluster));
	}

	@Override
	public void start() {
		this.server.start();
		this.connections = this.connect.get();
	}

	@Override
	public void close() {
		try {
			if (this.connections instanceof DisposableBean open) {
				open.destroy();
			}
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			this.server.close();
		}
	}

	@Override
	public LockStore open(String instanceId) {
		return new RedisLockStore(Objects.requireNonNull(this.connections), "holdfast", Duration.ofHours(24),
				ReplicaAcks.NONE);
	}

	@Override
	public void takeAway(String key) {
		String lock = "holdfast:{" + key + "}";
		try (Jedis jedis = this.nodeOf.apply(lock).connect()) {
			jedis.del(lock);
		}
	}

	@Override
	public boolean isQueued(String key, int waiters) {
		String lock = "holdfast:{" + key + "}";
		try (Jedis jedis = this.nodeOf.apply(lock).connect()) {
			return jedis.zcard(lock + ":queue") == waiters;
		}
	}

}
