package io.holdfast.redis.connection;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Where locks are, by one of the Redis clients: one server at a time, or a Cluster.
 */
interface LockServers {

	/**
	 * Ask the server that has a key. Interrupts are put off, unless they may end it.
	 * Jedis cannot end the wait for an answer, except that an interrupt of a virtual
	 * thread always does.
	 */
	<T extends @Nullable Object> T ask(byte[] key, boolean interruptible, Function<LockConnection, T> question);

	<T extends @Nullable Object> T askAlone(Function<LockConnection, T> question);

	RedisConnection connection();

	RedisConnection subscriptionConnection();

	void close();

}
