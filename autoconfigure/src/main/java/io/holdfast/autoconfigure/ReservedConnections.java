package io.holdfast.autoconfigure;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Connections to the application's Redis that only locks use. Their factory is no bean:
 * an application's own stays the only one.
 */
@FunctionalInterface
interface ReservedConnections {

	/**
	 * Return where they come from.
	 */
	RedisConnectionFactory factory();

}
