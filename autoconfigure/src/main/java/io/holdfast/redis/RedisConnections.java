package io.holdfast.redis;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Lends connections for the time of a question.
 */
interface RedisConnections extends AutoCloseable {

	/**
	 * Put a question over a connection.
	 */
	<T extends @Nullable Object> T use(Function<RedisConnection, T> question);

	/**
	 * Close what is kept for later.
	 */
	@Override
	void close();

	/**
	 * Connections as the factory hands them out, which may all share one.
	 */
	record Plain(RedisConnectionFactory factory) implements RedisConnections {

		@Override
		public <T extends @Nullable Object> T use(Function<RedisConnection, T> question) {
			try (RedisConnection connection = this.factory.getConnection()) {
				return question.apply(connection);
			}
		}

		@Override
		public void close() {
			// Nothing is kept
		}

	}

}
