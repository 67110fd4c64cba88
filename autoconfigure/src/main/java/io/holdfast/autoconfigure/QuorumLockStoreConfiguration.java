package io.holdfast.autoconfigure;

import java.time.Duration;

import io.holdfast.engine.LockStore;
import io.holdfast.redis.QuorumLockStore;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Keeps locks on several independent masters.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisConnectionFactory.class)
@Conditional(OnRedisNodesCondition.class)
@ConditionalOnMissingBean(LockStore.class)
class QuorumLockStoreConfiguration {

	@Bean
	RedisNodeConnections holdfastRedisNodeConnections(HoldfastProperties properties, RedisNodeConnector<?> connector) {
		return new RedisNodeConnections(RedisNode.parseAll(properties.getRedis().getNodes()),
				properties.getRedis().getNodeTimeout(), connector);
	}

	@Bean
	QuorumLockStore lockStore(RedisNodeConnections connections, InstanceId instance, HoldfastProperties properties) {
		HoldfastProperties.Redis redis = properties.getRedis();
		return new QuorumLockStore(connections.nodes(), properties.getKeyPrefix(), instance.value(),
				properties.getTokenRetention(), redis.getQuorum().of(connections.nodes().size()),
				redis.getNodeTimeout());
	}

	/**
	 * Connects by Jedis.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "redis.clients.jedis.Jedis")
	static class Jedis {

		/**
		 * Connections for all threads that ask a node, and for the subscription.
		 */
		private static final int CONNECTIONS = 16;

		/**
		 * Jedis counts in milliseconds, and takes zero for no limit.
		 */
		private static final Duration LEAST_TIMEOUT = Duration.ofMillis(1);

		@Bean
		RedisNodeConnector<JedisConnectionFactory> holdfastRedisNodeConnector() {
			return Jedis::connect;
		}

		private static JedisConnectionFactory connect(RedisNode node, Duration nodeTimeout) {
			Duration timeout = (nodeTimeout.compareTo(LEAST_TIMEOUT) > 0) ? nodeTimeout : LEAST_TIMEOUT;
			JedisClientConfiguration.JedisClientConfigurationBuilder client = JedisClientConfiguration.builder()
				.connectTimeout(timeout)
				.readTimeout(timeout);
			if (node.isSsl()) {
				client.useSsl();
			}
			JedisConnectionFactory factory = new JedisConnectionFactory(node.configuration(),
					client.usePooling().poolConfig(pool(timeout)).build());
			factory.afterPropertiesSet();
			return factory;
		}

		private static <T> GenericObjectPoolConfig<T> pool(Duration timeout) {
			GenericObjectPoolConfig<T> pool = new GenericObjectPoolConfig<>();
			pool.setMaxTotal(CONNECTIONS);
			pool.setMaxIdle(CONNECTIONS);
			pool.setMaxWait(timeout);
			pool.setJmxEnabled(false);
			return pool;
		}

	}

	/**
	 * Connects by Lettuce, where there is no Jedis.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "io.lettuce.core.RedisClient")
	@ConditionalOnMissingClass("redis.clients.jedis.Jedis")
	static class Lettuce {

		@Bean
		RedisNodeConnector<LettuceConnectionFactory> holdfastRedisNodeConnector() {
			return Lettuce::connect;
		}

		private static LettuceConnectionFactory connect(RedisNode node, Duration timeout) {
			LettuceClientConfiguration.LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
				.commandTimeout(timeout);
			if (node.isSsl()) {
				client.useSsl();
			}
			LettuceConnectionFactory factory = new LettuceConnectionFactory(node.configuration(), client.build());
			factory.afterPropertiesSet();
			return factory;
		}

	}

}
