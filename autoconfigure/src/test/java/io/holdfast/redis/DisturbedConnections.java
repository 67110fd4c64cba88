package io.holdfast.redis;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;

/**
 * Lets something happen before each call.
 */
public class DisturbedConnections implements RedisConnectionFactory {

	private final AtomicInteger calls = new AtomicInteger();

	private final RedisConnectionFactory connections;

	private final IntConsumer beforeCall;

	public DisturbedConnections(RedisConnectionFactory connections, IntConsumer beforeCall) {
		this.connections = connections;
		this.beforeCall = beforeCall;
	}

	@Override
	public RedisConnection getConnection() {
		this.beforeCall.accept(this.calls.incrementAndGet());
		return this.connections.getConnection();
	}

	@Override
	public RedisClusterConnection getClusterConnection() {
		return this.connections.getClusterConnection();
	}

	@Override
	public boolean getConvertPipelineAndTxResults() {
		return this.connections.getConvertPipelineAndTxResults();
	}

	@Override
	public RedisSentinelConnection getSentinelConnection() {
		return this.connections.getSentinelConnection();
	}

	@Override
	public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
		return this.connections.translateExceptionIfPossible(ex);
	}

}
