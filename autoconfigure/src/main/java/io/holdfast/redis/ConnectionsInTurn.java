package io.holdfast.redis;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Connections that are lent to whose turn it is.
 */
record ConnectionsInTurn(RedisConnections connections, Turns turns) implements RedisConnections {

	@Override
	public <T extends @Nullable Object> T use(Function<RedisConnection, T> question) {
		this.turns.await();
		try {
			return this.connections.use(question);
		}
		finally {
			this.turns.end();
		}
	}

	@Override
	public void close() {
		this.connections.close();
	}

}
