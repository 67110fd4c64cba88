package io.holdfast.benchmarks.contender;

import java.time.Duration;
import java.util.List;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The executor of lock4j for {@code RedisTemplate}, behind its lock template. Waiters
 * look again every 100 ms, which is its default.
 *
 * <p>
 * It renews a lock that is acquired without a lease of its own, and does so when leases
 * must be renewed.
 */
final class Lock4jClient implements LockClient {

	private static final long PATIENCE = Duration.ofDays(1).toMillis();

	private static final long RENEWED = -1;

	private final JedisConnectionFactory connections;

	private final LockTemplate template;

	private final long lease;

	Lock4jClient(ClientSettings settings) {
		this.connections = JedisConnections.open(settings);
		this.lease = settings.renewing() ? RENEWED : ClientSettings.LEASE.toMillis();
		this.template = template(new StringRedisTemplate(this.connections));
	}

	private static LockTemplate template(StringRedisTemplate redis) {
		Lock4jProperties properties = new Lock4jProperties();
		properties.setExpire(ClientSettings.LEASE.toMillis());
		LockTemplate template = new LockTemplate();
		template.setProperties(properties);
		template.setExecutors(List.of(new RedisTemplateLockExecutor(redis, properties)));
		try {
			template.afterPropertiesSet();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		return template;
	}

	@Override
	public HeldLock acquire(String key) {
		LockInfo lock = this.template.lock(key, this.lease, PATIENCE);
		if (lock == null) {
			throw new IllegalStateException("No lock after a day");
		}
		return () -> this.template.releaseLock(lock);
	}

	@Override
	public void close() {
		this.connections.destroy();
	}

}
