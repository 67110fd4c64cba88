package io.holdfast.redis;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.PoolException;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * Lends few connections of many at one time, so that others are left.
 */
final class ConnectionsInTurn implements RedisConnections {

	private final RedisConnections connections;

	private final Semaphore turns;

	private final int most;

	private final Duration patience;

	ConnectionsInTurn(RedisConnections connections, int most, Duration patience) {
		this.connections = connections;
		this.turns = new Semaphore(most);
		this.most = most;
		this.patience = patience;
	}

	/**
	 * Limit the use of a source's connections, if it wants that.
	 */
	static RedisConnections of(RedisConnections connections, ConnectionSource source) {
		return (source.mostForOthers() > 0)
				? new ConnectionsInTurn(connections, source.mostForOthers(), source.patience()) : connections;
	}

	@Override
	public <T extends @Nullable Object> T use(Function<RedisConnection, T> question) {
		awaitTurn();
		try {
			return this.connections.use(question);
		}
		finally {
			this.turns.release();
		}
	}

	private void awaitTurn() {
		try {
			if (!this.turns.tryAcquire(this.patience.toMillis(), TimeUnit.MILLISECONDS)) {
				throw new PoolException(
						"None of the %d connections to get locks with was free for %d ms (holdfast.redis.pool.max-active)"
							.formatted(this.most, this.patience.toMillis()));
			}
		}
		catch (InterruptedException ex) {
			throw new RedisConnectionFailureException("Interrupted while waiting for a connection", ex);
		}
	}

	@Override
	public void close() {
		this.connections.close();
	}

}
