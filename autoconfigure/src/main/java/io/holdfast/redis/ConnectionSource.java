package io.holdfast.redis;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.Assert;

/**
 * Where a store's connections to one Redis come from.
 *
 * @param factory what makes them
 * @param mostForOthers how many may be in use at one time for what is not about locks
 * that are held, such as attempts to get one: so that some are left to renew and release;
 * zero for no limit
 * @param patience the longest wait for one of those
 * @since 0.1.0
 */
public record ConnectionSource(RedisConnectionFactory factory, int mostForOthers, Duration patience) {

	/**
	 * Check all values.
	 */
	public ConnectionSource {
		Assert.notNull(factory, "'connectionFactory' must not be null");
		Assert.isTrue(mostForOthers >= 0, "'mostForOthers' must not be negative");
		Assert.notNull(patience, "'patience' must not be null");
	}

	/**
	 * Use connections without limit.
	 * @param factory what makes them
	 * @return the source
	 */
	public static ConnectionSource of(RedisConnectionFactory factory) {
		return new ConnectionSource(factory, 0, Duration.ZERO);
	}

	/**
	 * Connect to where an application does, by a client that sends each command once. If
	 * the application's client does so anyway, or connects in a way of its own, use that.
	 */
	static ConnectionSource like(RedisConnectionFactory application) {
		Assert.notNull(application, "'connectionFactory' must not be null");
		LockConnections own = null;
		if (application instanceof LettuceConnectionFactory lettuce) {
			own = LettuceLockConnectionFactory.like(lettuce);
		}
		else if (application.getClass() == JedisConnectionFactory.class) {
			own = likeCluster((JedisConnectionFactory) application);
		}
		return of((own != null) ? own : application);
	}

	private static @Nullable LockConnections likeCluster(JedisConnectionFactory application) {
		RedisClusterConfiguration cluster = application.getClusterConfiguration();
		return (cluster != null) ? new JedisLockConnections(
				() -> new JedisClusterLockConnectionFactory(cluster, application.getClientConfiguration()),
				application.getClientConfiguration().getReadTimeout(), application::isRunning) : null;
	}

	/**
	 * Close connections that only locks use.
	 */
	void close() {
		if (this.factory instanceof LockConnections own) {
			own.destroy();
		}
	}

}
