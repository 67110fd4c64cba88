package io.holdfast.test;

import java.time.Duration;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

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
		GenericObjectPoolConfig<redis.clients.jedis.Connection> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(connections);
		pool.setMaxWait(timeout);
		JedisConnectionFactory factory = new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port),
				JedisClientConfiguration.builder()
					.connectTimeout(Duration.ofSeconds(1))
					.readTimeout(timeout)
					.usePooling()
					.poolConfig(pool)
					.build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * Lettuce, which gives up after a second.
	 */
	public static LettuceConnectionFactory lettuce(int port) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port),
				LettuceClientConfiguration.builder().commandTimeout(Duration.ofSeconds(1)).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
