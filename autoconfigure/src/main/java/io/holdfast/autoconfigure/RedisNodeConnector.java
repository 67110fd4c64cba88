package io.holdfast.autoconfigure;

import java.time.Duration;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Connects to nodes by means of one of the Redis clients.
 *
 * @param <F> where connections come from
 */
@FunctionalInterface
interface RedisNodeConnector<F extends RedisConnectionFactory & DisposableBean> {

	/**
	 * Create a source of connections that give up after a time.
	 */
	F connect(RedisNode node, Duration timeout);

}
