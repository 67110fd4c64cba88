package io.holdfast.autoconfigure;

import io.holdfast.engine.LockStore;
import io.holdfast.redis.RedisLockStore;
import io.holdfast.redis.ReplicaAcks;

import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
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
	RedisLockStore lockStore(RedisConnectionFactory connectionFactory, InstanceId instance,
			HoldfastProperties properties) {
		PropertyChecks.checkConnections(connectionFactory, properties);
		return new RedisLockStore(connectionFactory, properties.getKeyPrefix(), instance.value(),
				properties.getTokenRetention(),
				new ReplicaAcks(properties.getRedis().getReplicaAcks(), properties.getRedis().getReplicaAckTimeout()));
	}

}
