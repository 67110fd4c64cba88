package io.holdfast.test;

import java.time.Duration;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/**
 * The Redis clients that locks are kept by. Unless they connect patiently, they give up
 * after a second.
 */
public enum Client {

	JEDIS, LETTUCE,
	/**
	 * A Jedis pool of the kind that Spring Data used before, where a connection is one;
	 * for one server.
	 */
	OLD_JEDIS;

	private RedisConnectionFactory connect(RedisConfiguration servers, Duration timeout) {
		return (this == LETTUCE) ? Connections.lettuce(servers, timeout)
				: Connections.jedis(servers, GenericObjectPoolConfig.DEFAULT_MAX_TOTAL, timeout, this == JEDIS);
	}

	public RedisConnectionFactory connect(int port) {
		return connect(Connections.server(port), Connections.SECOND);
	}

	public RedisConnectionFactory connectPatiently(int port) {
		return connect(Connections.server(port), (this == OLD_JEDIS) ? Connections.SECOND : Connections.MINUTE);
	}

	/**
	 * Connect to whatever server is the master.
	 */
	public RedisConnectionFactory connect(RedisSentinels servers) {
		return connect(master(servers), Connections.SECOND);
	}

	public RedisConnectionFactory connectPatiently(RedisSentinels servers) {
		return connect(master(servers), Connections.MINUTE);
	}

	private static RedisConfiguration master(RedisSentinels servers) {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(servers.masterName());
		servers.sentinelPorts().forEach((port) -> configuration.sentinel("127.0.0.1", port));
		return configuration;
	}

	public RedisConnectionFactory connect(RedisCluster cluster) {
		return connect(nodes(cluster), Connections.SECOND);
	}

	public RedisConnectionFactory connectPatiently(RedisCluster cluster) {
		return connect(nodes(cluster), Connections.MINUTE);
	}

	private static RedisConfiguration nodes(RedisCluster cluster) {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration();
		cluster.nodes().forEach((node) -> configuration.clusterNode("127.0.0.1", node.port()));
		return configuration;
	}

}
