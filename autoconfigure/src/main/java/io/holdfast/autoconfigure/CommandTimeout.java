package io.holdfast.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * How long a client waits for an answer of Redis: zero is no limit, and {@code null} not
 * known.
 */
record CommandTimeout(@Nullable Duration value) {

	private static final Logger logger = LoggerFactory.getLogger(CommandTimeout.class);

	/**
	 * How many times a lease is renewed, as long as it lasts.
	 */
	private static final int RENEWALS = 3;

	static CommandTimeout of(RedisConnectionFactory factory) {
		if (factory instanceof JedisConnectionFactory jedis) {
			return new CommandTimeout(Duration.ofMillis(jedis.getTimeout()));
		}
		return new CommandTimeout(
				(factory instanceof LettuceConnectionFactory lettuce) ? Duration.ofMillis(lettuce.getTimeout()) : null);
	}

	void warnIfRenewalsMayComeTooLate(Duration lease) {
		if (this.value == null || (!this.value.isZero() && this.value.multipliedBy(RENEWALS).compareTo(lease) <= 0)) {
			return;
		}
		long millis = this.value.toMillis();
		logger.atWarn()
			.addKeyValue("timeoutMs", millis)
			.addKeyValue("leaseMs", lease.toMillis())
			.log("One request that Redis does not answer may lose locks: 'spring.data.redis.timeout' ({} ms, 0 is no "
					+ "limit) should be at most a third of 'holdfast.lease' ({} ms)", millis, lease.toMillis());
	}

}
