package io.holdfast.faults.shutdown;

import io.holdfast.LockTemplate;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Witnesses of the end of the web server, of locks, and of connections to Redis. They do
 * not depend on these beans: Spring would stop them together.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "crew.witnessed", matchIfMissing = true)
class Witnesses {

	private final ApplicationContext context;

	private final LockTemplate locks;

	private final StringRedisTemplate redis;

	private final Answers answers;

	Witnesses(ApplicationContext context, LockTemplate locks, StringRedisTemplate redis, Answers answers) {
		this.context = context;
		this.locks = locks;
		this.redis = redis;
		this.answers = answers;
	}

	@Bean
	@ConditionalOnWebApplication
	Witness afterWebServer() {
		return witness("after web server", phase("webServerStartStop") - 1);
	}

	@Bean
	Witness afterLocks() {
		return witness("after locks", phase("holdfastLockLifecycle") - 1);
	}

	@Bean
	Witness beforeConnections() {
		return witness("before connections", phase("redisConnectionFactory") + 1);
	}

	private Witness witness(String moment, int phase) {
		String name = this.context.getEnvironment().getRequiredProperty("crew.name");
		return new Witness(name, moment, phase, this.locks, this.redis, this.answers);
	}

	private int phase(String bean) {
		return this.context.getBean(bean, SmartLifecycle.class).getPhase();
	}

}
