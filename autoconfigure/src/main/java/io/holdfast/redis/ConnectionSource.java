package io.holdfast.redis;

import java.time.Duration;

import org.springframework.data.redis.connection.RedisConnectionFactory;
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

}
