package io.holdfast.benchmarks.contender;

import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's lock registry. It renews leases only when it is given a scheduler
 * for that, which it is when leases must be renewed.
 */
final class SpringIntegrationClient implements LockClient {

	private final JedisConnectionFactory connections;

	private final RedisLockRegistry registry;

	private final @Nullable ThreadPoolTaskScheduler scheduler;

	SpringIntegrationClient(ClientSettings settings, RedisLockType type) {
		this.connections = JedisConnections.open(settings);
		this.registry = new RedisLockRegistry(this.connections, "benchmarks", ClientSettings.LEASE);
		this.registry.setRedisLockType(type);
		this.scheduler = settings.renewing() ? scheduler() : null;
		if (this.scheduler != null) {
			this.registry.setRenewalTaskScheduler(this.scheduler);
		}
	}

	private static ThreadPoolTaskScheduler scheduler() {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.afterPropertiesSet();
		return scheduler;
	}

	@Override
	public HeldLock acquire(String key) {
		Lock lock = this.registry.obtain(key);
		lock.lock();
		return lock::unlock;
	}

	@Override
	public void close() {
		if (this.scheduler != null) {
			this.scheduler.shutdown();
		}
		this.registry.destroy();
		this.connections.destroy();
	}

}
