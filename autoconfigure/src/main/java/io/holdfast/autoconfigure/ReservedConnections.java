package io.holdfast.autoconfigure;

import io.holdfast.redis.ConnectionSource;

/**
 * Connections to the application's Redis that only locks use. Their factory is no bean:
 * an application's own stays the only one.
 */
@FunctionalInterface
interface ReservedConnections {

	/**
	 * Return where they come from.
	 */
	ConnectionSource source();

}
