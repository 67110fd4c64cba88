package io.holdfast.faults.shutdown;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.test.Running;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Witnesses of the end of the web server, of locks, and of connections to Redis: they
 * look whether there are locks to be had, and what is in Redis, over the application's
 * own connections. They do not depend on these beans: Spring would stop them together.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "crew.witnessed", matchIfMissing = true)
class Witnesses {

	private final ApplicationContext context;

	private final LockTemplate locks;

	private final StringRedisTemplate redis;

	private final Ending ending;

	private final String name;

	Witnesses(ApplicationContext context, LockTemplate locks, StringRedisTemplate redis, Ending ending) {
		this.context = context;
		this.locks = locks;
		this.redis = redis;
		this.ending = ending;
		this.name = context.getEnvironment().getRequiredProperty("crew.name");
	}

	@Bean
	@ConditionalOnWebApplication
	SmartLifecycle afterWebServer() {
		return new Witness("after web server", phase("webServerStartStop") - 1);
	}

	@Bean
	SmartLifecycle afterLocks() {
		return new Witness("after locks", phase("holdfastLockLifecycle") - 1);
	}

	@Bean
	SmartLifecycle beforeConnections() {
		return new Witness("before connections", phase("redisConnectionFactory") + 1);
	}

	private int phase(String bean) {
		return this.context.getBean(bean, SmartLifecycle.class).getPhase();
	}

	private String newLock() {
		try {
			Optional<LockHandle> lock = this.locks
				.tryAcquire(LockRequest.of(this.name + "-witness").waitFor(Duration.ZERO));
			lock.ifPresent(LockHandle::close);
			return lock.isPresent() ? "locks to be had" : "somebody has it";
		}
		catch (LockUnavailableException ex) {
			return "no more locks";
		}
	}

	private final class Witness extends Running {

		private final String moment;

		private final int phase;

		private Witness(String moment, int phase) {
			this.moment = moment;
			this.phase = phase;
		}

		@Override
		public void stop() {
			super.stop();
			String lock = newLock();
			Set<String> keys = Witnesses.this.redis.keys("holdfast:{" + Witnesses.this.name + "-*}");
			Witnesses.this.ending.tell("%s: %s, %d in Redis", this.moment, lock, keys.size());
		}

		@Override
		public int getPhase() {
			return this.phase;
		}

	}

}
