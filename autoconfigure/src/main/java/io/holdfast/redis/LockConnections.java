package io.holdfast.redis;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Connections that only locks use, of a client that sends each command once: the engine
 * repeats a request of which it does not know whether it was carried out, and has to know
 * that it did. They are closed with the store that uses them.
 *
 * @since 0.1.0
 */
public interface LockConnections extends RedisConnectionFactory, DisposableBean {

	/**
	 * Close what is open, until the next connection is asked for.
	 */
	void stop();

	@Override
	void destroy();

	/**
	 * Have all connections that are open now closed, once nobody can be waiting for one.
	 * The next question is put over a new one, if there are any to be had.
	 *
	 * <p>
	 * An error that hits a thread while it talks to Redis, such as
	 * {@link StackOverflowError} or {@link OutOfMemoryError}, may leave a reply unread on
	 * a connection that is lent to others after that, and nobody can tell which one it
	 * is. Where replies are read by a thread of the client, that cannot happen, and this
	 * does nothing.
	 * @return whether that was not going to happen anyway
	 */
	boolean replaceAll();

}
