package io.holdfast.autoconfigure;

import java.util.List;

import io.holdfast.engine.store.LockStore;
import io.holdfast.redis.quorum.QuorumLockStore;
import io.holdfast.redis.quorum.QuorumNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Keeps locks on several independent masters.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisConnectionFactory.class)
@Conditional(QuorumLockStoreConfiguration.OnRedisNodesCondition.class)
@ConditionalOnMissingBean(LockStore.class)
class QuorumLockStoreConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(QuorumLockStoreConfiguration.class);

	@Bean
	RedisNodeConnections holdfastRedisNodeConnections(HoldfastProperties properties,
			RedisNodeConnections.Connector<?> connector) {
		if (properties.getRedis().getNodes().isEmpty()) {
			throw new InvalidRedisNodesFailureAnalyzer.InvalidRedisNodesException(List.of(),
					"There are none. To keep locks in the Redis of 'spring.data.redis.*', remove the property.");
		}
		return new RedisNodeConnections(RedisNode.parseAll(properties.getRedis().getNodes()),
				properties.getRedis().getNodeTimeout(), connector);
	}

	@Bean
	QuorumLockStore holdfastLockStore(RedisNodeConnections connections, HoldfastProperties properties) {
		HoldfastProperties.Redis redis = properties.getRedis();
		List<QuorumNode> nodes = connections.nodes();
		int quorum = redis.getQuorum().of(nodes.size());
		logger.info("Locks are granted by {} of {} Redis nodes: {} (lease {} ms)", quorum, nodes.size(),
				nodes.stream().map(QuorumNode::name).toList(), properties.getLease().toMillis());
		return new QuorumLockStore(nodes, properties.getKeyPrefix(), properties.getTokenRetention(), quorum,
				redis.getNodeTimeout());
	}

	/**
	 * Connects by Jedis.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "redis.clients.jedis.Jedis")
	static class Jedis {

		@Bean
		JedisNodeConnector holdfastRedisNodeConnector(HoldfastProperties properties,
				ObjectProvider<SslBundles> sslBundles) {
			return new JedisNodeConnector(RedisNodeConnections.Ssl.of(properties, sslBundles.getIfAvailable()));
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
		LettuceNodeConnector holdfastRedisNodeConnector(HoldfastProperties properties,
				ObjectProvider<SslBundles> sslBundles) {
			return new LettuceNodeConnector(RedisNodeConnections.Ssl.of(properties, sslBundles.getIfAvailable()));
		}

	}

	/**
	 * Matches when independent masters are configured, also when the list is empty: an
	 * application that wants a quorum must not get a single Redis.
	 */
	static class OnRedisNodesCondition extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			boolean configured = Binder.get(context.getEnvironment())
				.bind("holdfast.redis.nodes", Bindable.listOf(String.class))
				.isBound();
			ConditionMessage.Builder message = ConditionMessage.forCondition("Holdfast nodes");
			return configured ? ConditionOutcome.match(message.because("there are some"))
					: ConditionOutcome.noMatch(message.because("there are none"));
		}

	}

}
