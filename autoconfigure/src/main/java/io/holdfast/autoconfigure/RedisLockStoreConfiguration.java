package io.holdfast.autoconfigure;

import io.holdfast.engine.LockStore;
import io.holdfast.redis.ConnectionSource;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Keeps locks in the Redis that the application is connected to.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnSingleCandidate(RedisConnectionFactory.class)
@ConditionalOnMissingBean(LockStore.class)
class RedisLockStoreConfiguration {

	@Bean
	RedisLockStore lockStore(RedisConnectionFactory connectionFactory, ObjectProvider<ReservedConnections> reserved,
			InstanceId instance, HoldfastProperties properties) {
		PropertyChecks.checkConnections(connectionFactory, properties);
		CommandTimeout.of(connectionFactory).warnIfRenewalsMayComeTooLate(properties.getLease());
		ReservedConnections own = reserved.getIfAvailable(() -> () -> ConnectionSource.of(connectionFactory));
		HoldfastProperties.Redis redis = properties.getRedis();
		return new RedisLockStore(own.source(), properties.getKeyPrefix(), instance.value(),
				properties.getTokenRetention(), new ReplicaAcks(redis.getReplicaAcks(), redis.getReplicaAckTimeout()));
	}

	/**
	 * Has connections of its own where Jedis may be what the application connects by.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "redis.clients.jedis.Jedis")
	static class Jedis {

		@Bean
		JedisReservedConnections holdfastReservedConnections(RedisConnectionFactory connectionFactory,
				HoldfastProperties properties) {
			return new JedisReservedConnections(connectionFactory, properties.getRedis().getPool().getMaxActive());
		}

	}

}
