package io.holdfast.redis;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Connections that only locks use, and that can be replaced all at once. An error that
 * hits a thread while it talks to Redis, such as {@link StackOverflowError} or
 * {@link OutOfMemoryError}, may leave a reply unread on a connection that is lent to
 * others after that; nobody can tell which one it is.
 *
 * @since 0.1.0
 */
public interface ReplaceableConnections extends RedisConnectionFactory {

	/**
	 * Have all connections that are open now closed, once nobody can be waiting for one.
	 * The next question is put over a new one, if there are any to be had.
	 * @return whether that was not going to happen anyway
	 */
	boolean replaceAll();

}
