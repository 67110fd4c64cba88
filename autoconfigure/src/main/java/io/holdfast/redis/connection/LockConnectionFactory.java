package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Makes connections that only locks use, by a client that sends each command once: the
 * engine repeats requests with an unknown result, and must know each attempt. The first
 * connection is opened on demand; so is the next one after a stop. They are closed with
 * the store that uses them.
 *
 * @since 0.1.0
 */
public interface LockConnectionFactory extends RedisConnectionFactory, SmartLifecycle, DisposableBean {

	/**
	 * For how long a subscription that is in order may be without any message.
	 */
	Duration LONGEST_SILENCE = Duration.ofSeconds(10);

	/**
	 * Ask the server that has a key.
	 * @param key a key of Redis
	 * @param question what to ask over a connection
	 * @param <T> the answer
	 * @return the answer
	 */
	<T extends @Nullable Object> T ask(byte[] key, Function<LockConnection, T> question);

	/**
	 * Ask several things over one connection that no other caller uses meanwhile. Not for
	 * a Cluster.
	 * @param question what to ask over the connection
	 * @param <T> the answer
	 * @return the answer
	 */
	<T extends @Nullable Object> T askAlone(Function<LockConnection, T> question);

	/**
	 * Return whether it connects to a Cluster.
	 * @return whether it does
	 */
	boolean isCluster();

	/**
	 * Return how many connections may be in use at one time for locks that are not held,
	 * so that some are left to renew and release.
	 * @return how many, or zero for any number
	 */
	int mostForOthers();

	/**
	 * Return how long to wait for one of those.
	 * @return the longest wait
	 */
	Duration longestWait();

	/**
	 * Make a connection to subscribe with, which is closed when it is returned. It may
	 * fail when nothing was heard for the {@link #LONGEST_SILENCE}.
	 * @return the connection
	 */
	RedisConnection getSubscriptionConnection();

	/**
	 * Started by the first request for a connection: the application's own may still have
	 * to start, which may fail.
	 */
	@Override
	default boolean isAutoStartup() {
		return false;
	}

	@Override
	void destroy();

}
