package io.holdfast.redis;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Asks one Redis, over a connection for each question.
 *
 * <p>
 * Connections come straight from the factory, never from a template: one that is bound to
 * a running transaction would only queue the scripts.
 */
final class RedisClient {

	private final RedisConnectionFactory connectionFactory;

	private volatile @Nullable Boolean cluster;

	RedisClient(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	/**
	 * Return whether it is a Cluster.
	 */
	boolean isCluster() {
		Boolean known = this.cluster;
		if (known == null) {
			known = ask(null, (connection) -> connection instanceof RedisClusterConnection);
			this.cluster = known;
		}
		return known;
	}

	/**
	 * Ask Redis. An interrupt that came before is put off until after it, since Lettuce
	 * would refuse to send anything; one that comes meanwhile is not forgotten, as the
	 * connection pool does.
	 */
	<T extends @Nullable Object> T ask(@Nullable String key, Function<RedisConnection, T> question) {
		boolean interrupted = Thread.interrupted();
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			return question.apply(connection);
		}
		catch (RuntimeException ex) {
			interrupted |= RedisFailures.isInterrupt(ex);
			throw RedisFailures.translate(key, ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
