package io.holdfast.faults.shutdown;

import io.holdfast.LockTemplate;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Witnesses of the end of locks, and of that of connections to Redis.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty("crew.witnessed")
class Witnesses {

	@Bean
	Witness afterLocks(@Qualifier("lockLifecycle") SmartLifecycle ended, LockTemplate locks, StringRedisTemplate redis,
			Answers answers) {
		return new Witness("after locks", ended.getPhase() - 1, locks, redis, answers);
	}

	@Bean
	Witness beforeConnections(RedisConnectionFactory connections, LockTemplate locks, StringRedisTemplate redis,
			Answers answers) {
		return new Witness("before connections", ((SmartLifecycle) connections).getPhase() + 1, locks, redis, answers);
	}

}
