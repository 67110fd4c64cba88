package io.holdfast.redis;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Where a store's connections to one Redis come from.
 *
 * @param shared the application's: attempts to get locks wait their turn there
 * @param reserved for all that concerns locks which are held, and for the subscription,
 * so that an application which uses all of its connections loses no lock
 * @since 0.1.0
 */
public record ConnectionSources(RedisConnectionFactory shared, RedisConnectionFactory reserved) {

	/**
	 * Use one source for everything.
	 * @param factory where connections come from
	 * @return the sources
	 */
	public static ConnectionSources only(RedisConnectionFactory factory) {
		return new ConnectionSources(factory, factory);
	}

}
