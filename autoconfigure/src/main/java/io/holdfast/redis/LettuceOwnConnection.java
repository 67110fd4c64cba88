package io.holdfast.redis;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A connection of Lettuce that nobody else uses meanwhile. Once it was lost it must not
 * be used any more: Lettuce reconnects by itself and repeats commands, maybe on another
 * server, where nothing is left to be waited for.
 */
final class LettuceOwnConnection implements RedisConnectionStateListener, AutoCloseable {

	private final RedisConnection owner;

	private final StatefulRedisConnection<byte[], byte[]> dedicated;

	private final RedisConnection redis;

	private volatile boolean lost;

	private LettuceOwnConnection(RedisConnection owner, StatefulRedisConnection<byte[], byte[]> dedicated,
			LettuceConnectionFactory factory) {
		this.owner = owner;
		this.dedicated = dedicated;
		this.redis = new LettuceConnection(dedicated, factory.getTimeout(), factory.getRequiredNativeClient(),
				factory.getDatabase());
	}

	/**
	 * Open a connection. A factory gives a native one to whoever opens a pipeline, in the
	 * way that it is configured for: by pool, Sentinel, credentials.
	 */
	static LettuceOwnConnection open(LettuceConnectionFactory factory) {
		LettuceConnection owner = (LettuceConnection) factory.getConnection();
		try {
			owner.openPipeline();
			AbstractRedisAsyncCommands<byte[], byte[]> commands = (AbstractRedisAsyncCommands<byte[], byte[]>) owner
				.getNativeConnection();
			LettuceOwnConnection connection = new LettuceOwnConnection(owner,
					(StatefulRedisConnection<byte[], byte[]>) commands.getConnection(), factory);
			owner.closePipeline();
			connection.dedicated.addListener(connection);
			connection.lost = !connection.dedicated.isOpen();
			return connection;
		}
		catch (RuntimeException ex) {
			owner.close();
			throw ex;
		}
	}

	RedisConnection redis() {
		return this.redis;
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
		this.lost = true;
	}

	boolean isLost() {
		return this.lost;
	}

	/**
	 * Fail unless all has been said on one and the same connection.
	 */
	void ensureNeverLost() {
		if (this.lost) {
			throw new RedisConnectionFailureException("The connection was lost meanwhile");
		}
	}

	@Override
	public void close() {
		this.dedicated.removeListener(this);
		this.redis.close();
		this.owner.close();
	}

}
