/**
 * Connections to Redis that only locks use, by Jedis or by Lettuce, and the client that
 * asks over them.
 */
@NullMarked
package io.holdfast.redis.connection;

import org.jspecify.annotations.NullMarked;
