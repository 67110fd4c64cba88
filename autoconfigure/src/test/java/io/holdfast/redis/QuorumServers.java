package io.holdfast.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.engine.LockStores;
import io.holdfast.test.Connections;
import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Several independent masters, and connections to them that give up after a time.
 */
final class QuorumServers implements LockStores {

	private final List<RedisProcess> servers;

	private final Duration nodeTimeout;

	private final List<JedisConnectionFactory> connections = new ArrayList<>();

	private final List<QuorumNode> nodes = new ArrayList<>();

	QuorumServers(int count, Duration nodeTimeout) {
		this.servers = Stream.generate(() -> new RedisProcess()).limit(count).toList();
		this.nodeTimeout = nodeTimeout;
	}

	@Override
	public void start() {
		for (RedisProcess server : this.servers) {
			server.start();
			JedisConnectionFactory factory = Connections.jedis(server.port(), 16, this.nodeTimeout);
			this.connections.add(factory);
			this.nodes.add(new QuorumNode("127.0.0.1:" + server.port(), factory));
		}
	}

	@Override
	public void close() {
		this.connections.forEach(JedisConnectionFactory::destroy);
		this.servers.forEach(RedisProcess::close);
	}

	RedisProcess server(int index) {
		return this.servers.get(index);
	}

	List<RedisProcess> all() {
		return this.servers;
	}

	@Override
	public QuorumLockStore open(String instanceId) {
		return open(instanceId, this.servers.size() / 2 + 1);
	}

	QuorumLockStore open(String instanceId, int quorum) {
		return new QuorumLockStore(this.nodes, "holdfast", instanceId, Duration.ofHours(24), quorum, this.nodeTimeout);
	}

	@Override
	public void takeAway(String key) {
		for (RedisProcess server : this.servers) {
			try (Jedis jedis = server.connect()) {
				jedis.del("holdfast:{" + key + "}");
			}
		}
	}

	@Override
	public boolean isQueued(String key, int waiters) {
		return this.servers.stream().allMatch((server) -> {
			try (Jedis jedis = server.connect()) {
				return jedis.zcard("holdfast:{" + key + "}:queue") == waiters;
			}
		});
	}

}
