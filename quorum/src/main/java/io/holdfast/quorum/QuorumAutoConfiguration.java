package io.holdfast.quorum;

import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.holdfast.LockRegistry;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastProperties;
import io.holdfast.autoconfigure.HoldfastProperties.Redis.Quorum;
import io.holdfast.autoconfigure.HoldfastProperties.Store;
import io.holdfast.engine.LockStore;
import io.holdfast.quorum.InvalidRedisNodesFailureAnalyzer.InvalidRedisNodesException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Auto-configuration for locks on several independent masters.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = HoldfastAutoConfiguration.class)
@Conditional(QuorumAutoConfiguration.OnRedisNodesCondition.class)
@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
@EnableConfigurationProperties(HoldfastProperties.class)
public final class QuorumAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(QuorumAutoConfiguration.class);

	@Bean
	RedisNodeConnections holdfastRedisNodeConnections(HoldfastProperties properties,
			RedisNodeConnections.Connector connector) {
		HoldfastProperties.Redis redis = properties.redis();
		return new RedisNodeConnections(nodes(redis), redis.nodeTimeout(), connector);
	}

	@Bean
	QuorumLockStore holdfastLockStore(RedisNodeConnections connections, HoldfastProperties properties) {
		HoldfastProperties.Redis redis = properties.redis();
		List<QuorumNode> nodes = connections.nodes();
		int quorum = (redis.quorum() == Quorum.ALL) ? nodes.size() : nodes.size() / 2 + 1;
		logger.info("Locks are granted by {} of {} Redis nodes: {} (lease {} ms)", quorum, nodes.size(),
				nodes.stream().map(QuorumNode::name).toList(), properties.lease().toMillis());
		return new QuorumLockStore(nodes, properties.keyPrefix(), properties.tokenRetention(), quorum,
				redis.nodeTimeout());
	}

	private static List<RedisNode> nodes(HoldfastProperties.Redis redis) {
		require(!redis.nodes().isEmpty(), List.of(),
				"There are none. To keep locks in the Redis of 'spring.data.redis.*', remove the property.");
		List<RedisNode> nodes = RedisNode.parseAll(redis.nodes());
		List<String> servers = nodes.stream().map(RedisNode::server).toList();
		int least = (redis.quorum() == Quorum.ALL) ? 2 : 3;
		require(servers.size() >= least, servers, "There must be at least %d for a quorum of '%s'.".formatted(least,
				redis.quorum().name().toLowerCase(Locale.ROOT)));
		require(Set.copyOf(servers).size() == servers.size(), servers, "Each must be a server of its own.");
		require(redis.ssl().bundle() == null || nodes.stream().allMatch(RedisNode::isSsl), servers,
				"With 'holdfast.redis.ssl.bundle', each must be a rediss:// URL: redis:// is not encrypted.");
		return nodes;
	}

	private static void require(boolean condition, List<String> servers, String reason) {
		if (!condition) {
			throw new InvalidRedisNodesException(servers, reason);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "redis.clients.jedis.Jedis")
	static class Jedis {

		@Bean
		JedisNodeConnector holdfastRedisNodeConnector(HoldfastProperties properties,
				ObjectProvider<SslBundles> sslBundles) {
			return new JedisNodeConnector(RedisNodeConnections.Ssl.of(properties, sslBundles.getIfAvailable()));
		}

	}

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
	 * application that wants a quorum must not get a single Redis. Reads properties as
	 * they are bound, for the same reason.
	 */
	static class OnRedisNodesCondition extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			Binder binder = Binder.get(context.getEnvironment());
			ConditionMessage.Builder message = ConditionMessage.forCondition("Holdfast nodes");
			if (!binder.bind("holdfast.enabled", Boolean.class).orElse(true)) {
				return ConditionOutcome.noMatch(message.because("locks are off"));
			}
			if (binder.bind("holdfast.store", Store.class).orElse(Store.REDIS) == Store.LOCAL) {
				return ConditionOutcome.noMatch(message.because("locks are kept in memory"));
			}
			return binder.bind("holdfast.redis.nodes", Bindable.listOf(String.class)).isBound()
					? ConditionOutcome.match(message.because("there are some"))
					: ConditionOutcome.noMatch(message.because("there are none"));
		}

	}

}
