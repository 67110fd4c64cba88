package io.holdfast.autoconfigure;

import java.util.Objects;

import io.holdfast.engine.LockStore;
import io.holdfast.redis.ConnectionSource;
import io.holdfast.redis.LettuceLockConnectionFactory;
import io.holdfast.redis.LockConnections;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;
import io.holdfast.redis.inspect.RedisView;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Keeps locks in the Redis that the application is connected to.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnSingleCandidate(RedisConnectionFactory.class)
@ConditionalOnMissingBean(LockStore.class)
class RedisLockStoreConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(RedisLockStoreConfiguration.class);

	@Bean
	RedisLockStore lockStore(RedisConnectionFactory connectionFactory, ObjectProvider<ReservedConnections> reserved,
			InstanceId instance, HoldfastProperties properties) {
		PropertyChecks.checkConnections(connectionFactory, properties);
		CommandTimeout.of(connectionFactory).warnIfRenewalsMayComeTooLate(properties.getLease());
		HoldfastProperties.Redis redis = properties.getRedis();
		return new RedisLockStore(source(connectionFactory, reserved), properties.getKeyPrefix(), instance.value(),
				properties.getTokenRetention(), new ReplicaAcks(redis.getReplicaAcks(), redis.getReplicaAckTimeout()),
				RedisView::new);
	}

	private static ConnectionSource source(RedisConnectionFactory application,
			ObjectProvider<ReservedConnections> reserved) {
		return reserved.stream().map(ReservedConnections::source).filter(Objects::nonNull).findFirst().orElseGet(() -> {
			logger.debug("Locks share the connections of {}: it may make them in a way of its own", application);
			return ConnectionSource.of(application);
		});
	}

	/**
	 * Has connections of its own where Jedis may be what the application connects by.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "redis.clients.jedis.Jedis")
	static class Jedis {

		@Bean
		JedisReservedConnections holdfastJedisConnections(RedisConnectionFactory connectionFactory,
				HoldfastProperties properties) {
			return new JedisReservedConnections(connectionFactory, properties.getRedis().getPool().getMaxActive());
		}

	}

	/**
	 * Has connections of its own where Lettuce may be what the application connects by.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "io.lettuce.core.RedisClient")
	static class Lettuce {

		@Bean
		ReservedConnections holdfastLettuceConnections(RedisConnectionFactory connectionFactory) {
			return new ReservedConnections(connectionFactory, like(connectionFactory));
		}

		private static @Nullable LockConnections like(RedisConnectionFactory application) {
			return (application instanceof LettuceConnectionFactory lettuce)
					? LettuceLockConnectionFactory.like(lettuce) : null;
		}

	}

}
