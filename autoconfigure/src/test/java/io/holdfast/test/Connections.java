package io.holdfast.test;

import java.time.Duration;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connection factories for tests.
 */
public final class Connections {

	private Connections() {
	}

	/**
	 * A Jedis pool that gives up after a second.
	 */
	public static JedisConnectionFactory jedis(int port) {
		return jedis(port, GenericObjectPoolConfig.DEFAULT_MAX_TOTAL);
	}

	/**
	 * A Jedis pool of so many connections that gives up after a second.
	 */
	public static JedisConnectionFactory jedis(int port, int connections) {
		return jedis(port, connections, Duration.ofSeconds(1));
	}

	/**
	 * A Jedis pool that waits for replies for a minute.
	 */
	public static JedisConnectionFactory patientJedis(int port) {
		return jedis(port, GenericObjectPoolConfig.DEFAULT_MAX_TOTAL, Duration.ofMinutes(1));
	}

	/**
	 * A Jedis pool of so many connections that gives up after a time.
	 */
	public static JedisConnectionFactory jedis(int port, int connections, Duration timeout) {
		return started(new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port),
				pooled(connections, timeout)));
	}

	/**
	 * A Jedis pool of the kind that Spring Data used before, where a connection is one.
	 */
	public static JedisConnectionFactory jedisOfOldKind(int port) {
		JedisConnectionFactory factory = new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port),
				pooled(GenericObjectPoolConfig.DEFAULT_MAX_TOTAL, Duration.ofSeconds(1)));
		factory.setUseUnifiedJedis(false);
		return started(factory);
	}

	/**
	 * A Jedis pool of connections to whatever server is the master, that gives up after a
	 * second.
	 */
	public static JedisConnectionFactory jedisSentinel(RedisSentinels servers) {
		return started(new JedisConnectionFactory(configuration(servers),
				pooled(GenericObjectPoolConfig.DEFAULT_MAX_TOTAL, Duration.ofSeconds(1))));
	}

	/**
	 * A Jedis pool for each node of a cluster, that gives up after a second.
	 */
	public static JedisConnectionFactory jedisCluster(RedisCluster cluster) {
		return jedisCluster(cluster, Duration.ofSeconds(1));
	}

	/**
	 * A Jedis pool for each node of a cluster, that waits for replies for a minute.
	 */
	public static JedisConnectionFactory patientJedisCluster(RedisCluster cluster) {
		return jedisCluster(cluster, Duration.ofMinutes(1));
	}

	private static JedisConnectionFactory jedisCluster(RedisCluster cluster, Duration timeout) {
		return started(new JedisConnectionFactory(configuration(cluster),
				pooled(GenericObjectPoolConfig.DEFAULT_MAX_TOTAL, timeout)));
	}

	private static JedisClientConfiguration pooled(int connections, Duration timeout) {
		GenericObjectPoolConfig<redis.clients.jedis.Connection> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(connections);
		pool.setMaxWait(timeout);
		return JedisClientConfiguration.builder()
			.connectTimeout(Duration.ofSeconds(1))
			.readTimeout(timeout)
			.usePooling()
			.poolConfig(pool)
			.build();
	}

	private static JedisConnectionFactory started(JedisConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * Lettuce, which gives up after a second.
	 */
	public static LettuceConnectionFactory lettuce(int port) {
		return lettuce(port, Duration.ofSeconds(1));
	}

	/**
	 * Lettuce, which waits for replies for a minute.
	 */
	public static LettuceConnectionFactory patientLettuce(int port) {
		return lettuce(port, Duration.ofMinutes(1));
	}

	/**
	 * Lettuce, which gives up after a time.
	 */
	public static LettuceConnectionFactory lettuce(int port, Duration timeout) {
		return started(new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port),
				LettuceClientConfiguration.builder().commandTimeout(timeout).build()));
	}

	/**
	 * Lettuce on whatever server is the master, which gives up after a second.
	 */
	public static LettuceConnectionFactory lettuceSentinel(RedisSentinels servers) {
		return started(new LettuceConnectionFactory(configuration(servers), impatient()));
	}

	/**
	 * Lettuce on a cluster, which gives up after a second.
	 */
	public static LettuceConnectionFactory lettuceCluster(RedisCluster cluster) {
		return started(new LettuceConnectionFactory(configuration(cluster), impatient()));
	}

	/**
	 * Lettuce on a cluster, which waits for replies for a minute.
	 */
	public static LettuceConnectionFactory patientLettuceCluster(RedisCluster cluster) {
		return started(new LettuceConnectionFactory(configuration(cluster),
				LettuceClientConfiguration.builder().commandTimeout(Duration.ofMinutes(1)).build()));
	}

	private static LettuceClientConfiguration impatient() {
		return LettuceClientConfiguration.builder().commandTimeout(Duration.ofSeconds(1)).build();
	}

	private static LettuceConnectionFactory started(LettuceConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static RedisSentinelConfiguration configuration(RedisSentinels servers) {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(servers.masterName());
		servers.sentinelPorts().forEach((port) -> configuration.sentinel("127.0.0.1", port));
		return configuration;
	}

	private static RedisClusterConfiguration configuration(RedisCluster cluster) {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration();
		cluster.nodes().forEach((node) -> configuration.clusterNode("127.0.0.1", node.port()));
		return configuration;
	}

}
