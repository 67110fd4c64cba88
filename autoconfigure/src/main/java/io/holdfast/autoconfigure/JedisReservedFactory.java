package io.holdfast.autoconfigure;

import java.util.function.Supplier;

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

	private final Supplier<JedisConnectionFactory> copies;

	private final JedisConnectionFactory application;

	private volatile JedisConnectionFactory own;

	/**
	 * Create a factory.
	 * @param copies makes factories like the application's, which are not started
	 * @param application the application's
	 */
	JedisReservedFactory(Supplier<JedisConnectionFactory> copies, JedisConnectionFactory application) {
		this.copies = copies;
		this.application = application;
		this.own = fresh();
	}

	private JedisConnectionFactory fresh() {
		JedisConnectionFactory copy = this.copies.get();
		copy.setEarlyStartup(false);
		copy.afterPropertiesSet();
		return copy;
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
		JedisConnectionFactory current = this.own;
		return current.isRunning() ? current : started(current);
	}

	/**
	 * A factory that has failed to start, because no Sentinel or no node of a Cluster
	 * could be reached, never does: the next attempt is made with another one. Whoever
	 * had to wait for an attempt that failed does not make one more.
	 */
	private synchronized JedisConnectionFactory started(JedisConnectionFactory current) {
		if (current == this.own && !current.isRunning() && this.application.isRunning()) {
			try {
				current.start();
			}
			catch (RuntimeException | Error ex) {
				this.own = fresh();
				throw ex;
			}
		}
		return current;
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
