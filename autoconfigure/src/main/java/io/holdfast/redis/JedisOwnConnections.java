package io.holdfast.redis;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.executors.CommandExecutor;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnection;

/**
 * Connections of Jedis that nobody else uses meanwhile. What the factory hands out looks
 * like a connection, but takes another one from the pool for each command; only a
 * pipeline stays on the one that it was opened with.
 */
record JedisOwnConnections(RedisConnectionFactory factory) implements RedisConnections {

	@Override
	public <T extends @Nullable Object> T use(Function<RedisConnection, T> question) {
		try (RedisConnection connection = this.factory.getConnection()) {
			return (connection.getNativeConnection() instanceof UnifiedJedis pool) ? useOne(pool, question)
					: question.apply(connection);
		}
	}

	// What Jedis would have instead of the constructor only builds clients with a pool
	@SuppressWarnings("deprecation")
	private static <T extends @Nullable Object> T useOne(UnifiedJedis pool, Function<RedisConnection, T> question) {
		try (AbstractPipeline pipeline = pool.pipelined()) {
			return question.apply(new JedisConnection(new UnifiedJedis(new OneByOne(pipeline))));
		}
	}

	@Override
	public void close() {
		// Nothing is kept
	}

	/**
	 * Sends a command down a pipeline and waits for its reply before the next.
	 */
	private record OneByOne(AbstractPipeline pipeline) implements CommandExecutor {

		@Override
		public <T> T executeCommand(CommandObject<T> command) {
			Response<T> response = this.pipeline.executeCommand(command);
			this.pipeline.sync();
			return response.get();
		}

		@Override
		public void close() {
			// The pipeline is closed by who opened it
		}

	}

}
