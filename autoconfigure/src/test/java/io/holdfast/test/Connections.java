package io.holdfast.test;

import java.time.Duration;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

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
		JedisConnectionFactory factory = new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port),
				JedisClientConfiguration.builder()
					.connectTimeout(Duration.ofSeconds(1))
					.readTimeout(Duration.ofSeconds(1))
					.usePooling()
					.build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
