package io.holdfast.benchmarks.contender;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Connection factories for contenders that are built on Spring Data.
 */
final class JedisConnections {

	private JedisConnections() {
	}

	static JedisConnectionFactory open(ClientSettings settings) {
		JedisConnectionFactory factory = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(ClientSettings.HOST, settings.port()),
				JedisClientConfiguration.builder().usePooling().poolConfig(settings.pool()).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
