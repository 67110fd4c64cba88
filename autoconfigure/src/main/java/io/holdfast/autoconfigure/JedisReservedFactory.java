package io.holdfast.autoconfigure;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Hands out connections of a factory that is started when the first is asked for, but not
 * before the application has started its own: that may be to come, and may fail.
 */
final class JedisReservedFactory implements RedisConnectionFactory {

	private final JedisConnectionFactory own;

	private final JedisConnectionFactory application;

	JedisReservedFactory(JedisConnectionFactory own, JedisConnectionFactory application) {
		this.own = own;
		this.application = application;
		own.setEarlyStartup(false);
		own.afterPropertiesSet();
	}

	@Override
	public RedisConnection getConnection() {
		return started().getConnection();
	}

	@Override
	public RedisClusterConnection getClusterConnection() {
		return started().getClusterConnection();
	}

	@Override
	public RedisSentinelConnection getSentinelConnection() {
		return started().getSentinelConnection();
	}

	private JedisConnectionFactory started() {
		if (!this.own.isRunning()) {
			start();
		}
		return this.own;
	}

	private synchronized void start() {
		if (!this.own.isRunning() && this.application.isRunning()) {
			this.own.start();
		}
	}

	/**
	 * Close what is open, until the next connection is asked for.
	 */
	synchronized void stop() {
		this.own.stop();
	}

	synchronized void destroy() {
		this.own.destroy();
	}

	@Override
	public boolean getConvertPipelineAndTxResults() {
		return this.own.getConvertPipelineAndTxResults();
	}

	@Override
	public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
		return this.own.translateExceptionIfPossible(ex);
	}

}
