package io.holdfast.autoconfigure;

import io.holdfast.engine.LockStore;
import io.holdfast.redis.QuorumLockStore;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

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

		@Bean
		JedisNodeConnector holdfastRedisNodeConnector() {
			return new JedisNodeConnector();
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
		LettuceNodeConnector holdfastRedisNodeConnector() {
			return new LettuceNodeConnector();
		}

	}

}
