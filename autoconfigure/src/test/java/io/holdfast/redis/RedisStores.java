package io.holdfast.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockUnavailableException;
import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStores;
import io.holdfast.engine.TestInstance;
import io.holdfast.test.Client;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.TestServer;
import org.jspecify.annotations.Nullable;

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
		return jedis(new RedisProcess());
	}

	public static RedisStores jedis(RedisProcess server) {
		return single(server, Client.JEDIS);
	}

	static RedisStores lettuce() {
		return single(new RedisProcess(), Client.LETTUCE);
	}

	private static RedisStores single(RedisProcess server, Client client) {
		return new RedisStores(server, (key) -> server, () -> client.connectPatiently(server.port()));
	}

	static RedisStores cluster(Client client) {
		RedisCluster cluster = new RedisCluster();
		return new RedisStores(cluster, cluster::nodeOf, () -> client.connectPatiently(cluster));
	}

	static RedisLockStore open(RedisConnectionFactory connections) {
		return open(connections, ReplicaAcks.NONE);
	}

	static RedisLockStore open(RedisConnectionFactory connections, ReplicaAcks acks) {
		return new RedisLockStore(connections, "holdfast", Duration.ofHours(24), acks);
	}

	static TestInstance instance(RedisConnectionFactory connections) {
		return new TestInstance((id) -> open(connections));
	}

	static void use(RedisConnectionFactory connections, Consumer<TestInstance> test) {
		use(connections, ReplicaAcks.NONE, test);
	}

	static void use(RedisConnectionFactory connections, ReplicaAcks acks, Consumer<TestInstance> test) {
		try (RedisLockStore store = open(connections, acks); TestInstance instance = new TestInstance((id) -> store)) {
			test.accept(instance);
		}
		finally {
			disconnect(connections);
		}
	}

	/**
	 * Return whether a single try gets free locks. One over a connection that is found to
	 * be useless is made again, unless that takes a second: on a machine that stands
	 * still.
	 */
	static boolean isAcquired(TestInstance instance, String... keys) {
		long begin = System.nanoTime();
		try {
			LockRequest oneTry = LockRequest.of(List.of(keys)).waitFor(Duration.ZERO);
			return instance.template().tryAcquire(oneTry).map(LockHandle::release).isPresent();
		}
		catch (LockUnavailableException ex) {
			return System.nanoTime() - begin > Duration.ofSeconds(1).toNanos();
		}
	}

	static void disconnect(@Nullable RedisConnectionFactory connections) {
		try {
			if (connections instanceof DisposableBean open) {
				open.destroy();
			}
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void start() {
		this.server.start();
		this.connections = this.connect.get();
	}

	@Override
	public void close() {
		try {
			disconnect(this.connections);
		}
		finally {
			this.server.close();
		}
	}

	@Override
	public LockStore open(String instanceId) {
		return open(Objects.requireNonNull(this.connections));
	}

	@Override
	public int keysAtOnce() {
		return (this.server instanceof RedisCluster) ? 100 : LockStores.super.keysAtOnce();
	}

	@Override
	public void takeAway(String key) {
		String lock = "holdfast:{" + key + "}";
		this.nodeOf.apply(lock).with((jedis) -> jedis.del(lock));
	}

	@Override
	public boolean isQueued(String key, int waiters) {
		String lock = "holdfast:{" + key + "}";
		return this.nodeOf.apply(lock).ask((jedis) -> jedis.zcard(lock + ":queue") == waiters);
	}

}
