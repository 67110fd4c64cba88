package io.holdfast.autoconfigure;

import java.time.Duration;

import io.holdfast.aop.DistributedLockAdvisor;
import io.holdfast.engine.LockStore;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.redis.connection.LockClient;
import io.holdfast.redis.connection.LockConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnMissingBean(LockStore.class)
class RedisLockStoreConfiguration {

	private static final int RENEWALS_IN_A_LEASE = 3;

	private static final Logger logger = LoggerFactory.getLogger(RedisLockStoreConfiguration.class);

	// The last parameter has the name of no bean, which Spring would prefer
	@Bean
	LockRedis holdfastLockRedis(HoldfastProperties properties, Environment environment, ListableBeanFactory beans,
			ObjectProvider<RedisConnectionFactory> ofApplication) {
		PropertyChecks.checkModules(environment);
		return LockRedis.of(properties.redis().connectionFactory(), ofApplication, beans);
	}

	@Bean(autowireCandidate = false)
	@ConditionalOnMissingBean
	@Nullable LockConnectionFactory holdfastConnectionFactory(LockRedis lockRedis, HoldfastProperties properties,
			Environment environment) {
		RedisConnectionFactory connectionFactory = lockRedis.connectionFactory();
		if (connectionFactory instanceof LettuceConnectionFactory && !lockRedis.chosen()) {
			PropertyChecks.checkServers(environment);
		}
		return LockClient.connectionsLike(connectionFactory, properties.redis().pool().maxActive());
	}

	@Bean
	RedisLockStore holdfastLockStore(LockRedis lockRedis, BeanFactory beans, HoldfastProperties properties) {
		RedisConnectionFactory connectionFactory = lockRedis.connectionFactory();
		RedisConnectionFactory connections = connections(connectionFactory, beans);
		checkReplicas(connectionFactory, connections, properties);
		Long timeout = timeout(lockRedis);
		if (timeout != null && timeout > 0) {
			PropertyChecks.checkReplicaAckTimeout(properties, Duration.ofMillis(timeout), timeoutName(lockRedis));
		}
		warnIfRenewalsMayComeTooLate(lockRedis, properties.lease(), "'holdfast.lease'");
		HoldfastProperties.Redis redis = properties.redis();
		logger.info("Locks are kept in Redis at {} (lease {} ms)", address(connectionFactory),
				properties.lease().toMillis());
		return new RedisLockStore(connections, properties.keyPrefix(), properties.tokenRetention(),
				new ReplicaAcks(redis.replicaAcks(), redis.replicaAckTimeout()));
	}

	// Refuse to wait for the replicas of a Cluster, as far as it is known to be one, or
	// where it is not known on which connection
	private static void checkReplicas(RedisConnectionFactory ofApplication, RedisConnectionFactory connections,
			HoldfastProperties properties) {
		int acks = properties.redis().replicaAcks();
		boolean cluster = (ofApplication instanceof JedisConnectionFactory jedis && jedis.isRedisClusterAware())
				|| (ofApplication instanceof LettuceConnectionFactory lettuce && lettuce.isClusterAware());
		PropertyChecks.require(acks == 0 || !cluster, "redis.replica-acks", acks,
				"It cannot be combined with a Redis Cluster ('spring.data.redis.cluster.nodes').");
		PropertyChecks.require(acks == 0 || connections instanceof LockConnectionFactory, "redis.replica-acks", acks,
				"It needs a LettuceConnectionFactory, or a JedisConnectionFactory with Spring Boot 4.1 or newer, and not a subclass of your own.");
	}

	@Bean
	SmartInitializingSingleton holdfastLeaseCheck(LockRedis lockRedis,
			ObjectProvider<DistributedLockAdvisor> advisors) {
		return () -> advisors.stream()
			.forEach((advisor) -> advisor.forEachLease((method, lease) -> warnIfRenewalsMayComeTooLate(lockRedis, lease,
					"the lease of " + ClassUtils.getQualifiedMethodName(method))));
	}

	private static void warnIfRenewalsMayComeTooLate(LockRedis redis, Duration lease, String leaseName) {
		Long timeout = timeout(redis);
		if (timeout == null) {
			return;
		}
		if (timeout == 0 || timeout > lease.dividedBy(RENEWALS_IN_A_LEASE).toMillis()) {
			logger.atWarn()
				.addKeyValue("timeoutMs", timeout)
				.addKeyValue("leaseMs", lease.toMillis())
				.log("One request that Redis does not answer may lose locks: {} ({} ms, 0 is no limit) should be at most "
						+ "a third of {} ({} ms)", timeoutName(redis), timeout, leaseName, lease.toMillis());
		}
	}

	// in milliseconds, 0 for none, or null where it is not known
	private static @Nullable Long timeout(LockRedis redis) {
		if (redis.connectionFactory() instanceof JedisConnectionFactory jedis) {
			return (long) jedis.getTimeout();
		}
		return (redis.connectionFactory() instanceof LettuceConnectionFactory lettuce) ? lettuce.getTimeout() : null;
	}

	private static String timeoutName(LockRedis redis) {
		return redis.chosen() ? "the timeout of the RedisConnectionFactory for locks" : "'spring.data.redis.timeout'";
	}

	// without user and password
	private static String address(RedisConnectionFactory factory) {
		if (factory instanceof JedisConnectionFactory jedis) {
			return address(jedis.getSentinelConfiguration(), jedis.getClusterConfiguration(),
					jedis.getHostName() + ":" + jedis.getPort());
		}
		if (factory instanceof LettuceConnectionFactory lettuce) {
			return address(lettuce.getSentinelConfiguration(), lettuce.getClusterConfiguration(),
					lettuce.getHostName() + ":" + lettuce.getPort());
		}
		return "an address that " + factory.getClass().getName() + " knows";
	}

	private static String address(@Nullable RedisSentinelConfiguration sentinel,
			@Nullable RedisClusterConfiguration cluster, String server) {
		if (sentinel != null && sentinel.getMaster() != null) {
			return "'%s' of Sentinel %s".formatted(sentinel.getMaster().getName(), sentinel.getSentinels());
		}
		return (cluster != null) ? "Cluster " + cluster.getClusterNodes() : server;
	}

	private static RedisConnectionFactory connections(RedisConnectionFactory application, BeanFactory beans) {
		RedisConnectionFactory own = beans.getBeanProvider(LockConnectionFactory.class)
			.stream()
			.findFirst()
			.orElse(null);
		if (own == null) {
			logger.debug("Locks share the connections of {}: its class may create them differently", application);
		}
		return (own != null) ? own : application;
	}

}
