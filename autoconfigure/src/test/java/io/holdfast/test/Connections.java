package io.holdfast.test;

import java.time.Duration;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connection factories for tests: unless they are patient, they give up after a second.
 */
public final class Connections {

	static final Duration SECOND = Duration.ofSeconds(1);

	static final Duration MINUTE = Duration.ofMinutes(1);

	private Connections() {
	}

	public static JedisConnectionFactory jedis(int port) {
		return jedis(server(port), GenericObjectPoolConfig.DEFAULT_MAX_TOTAL, SECOND, true);
	}

	public static JedisConnectionFactory jedis(int port, int connections) {
		return jedis(port, connections, SECOND);
	}

	/**
	 * A Jedis pool of so many connections that gives up after a time.
	 */
	public static JedisConnectionFactory jedis(int port, int connections, Duration timeout) {
		return jedis(server(port), connections, timeout, true);
	}

	public static JedisConnectionFactory patientJedis(int port) {
		return jedis(server(port), GenericObjectPoolConfig.DEFAULT_MAX_TOTAL, MINUTE, true);
	}

	static JedisConnectionFactory jedis(RedisConfiguration servers, int connections, Duration timeout,
			boolean unified) {
		GenericObjectPoolConfig<redis.clients.jedis.Connection> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(connections);
		pool.setMaxWait(timeout);
		JedisClientConfiguration client = JedisClientConfiguration.builder()
			.connectTimeout(SECOND)
			.readTimeout(timeout)
			.usePooling()
			.poolConfig(pool)
			.build();
		JedisConnectionFactory factory = (servers instanceof RedisClusterConfiguration cluster)
				? new JedisConnectionFactory(cluster, client)
				: (servers instanceof RedisSentinelConfiguration sentinel)
						? new JedisConnectionFactory(sentinel, client)
						: new JedisConnectionFactory((RedisStandaloneConfiguration) servers, client);
		factory.setUseUnifiedJedis(unified);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	public static LettuceConnectionFactory lettuce(int port) {
		return lettuce(port, SECOND);
	}

	public static LettuceConnectionFactory patientLettuce(int port) {
		return lettuce(port, MINUTE);
	}

	public static LettuceConnectionFactory lettuce(int port, Duration timeout) {
		return lettuce(server(port), timeout);
	}

	static LettuceConnectionFactory lettuce(RedisConfiguration servers, Duration timeout) {
		if (timeout.compareTo(MINUTE) < 0) {
			LoadedLettuce.await();
		}
		LettuceClientConfiguration client = LettuceClientConfiguration.builder().commandTimeout(timeout).build();
		LettuceConnectionFactory factory = (servers instanceof RedisClusterConfiguration cluster)
				? new LettuceConnectionFactory(cluster, client)
				: (servers instanceof RedisSentinelConfiguration sentinel)
						? new LettuceConnectionFactory(sentinel, client)
						: new LettuceConnectionFactory((RedisStandaloneConfiguration) servers, client);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	static RedisConfiguration server(int port) {
		return new RedisStandaloneConfiguration("127.0.0.1", port);
	}

	/**
	 * Its first connection, for whose classes a busy machine may take seconds.
	 */
	private static final class LoadedLettuce {

		static {
			try (RedisProcess server = new RedisProcess()) {
				server.start();
				LettuceConnectionFactory factory = patientLettuce(server.port());
				factory.getConnection().ping();
				factory.destroy();
			}
		}

		static void await() {
			// when this class has been initialized
		}

	}

}
