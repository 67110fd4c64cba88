package io.holdfast.autoconfigure;

import java.time.Duration;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.ConnectionPoolConfig;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.Assert;

/**
 * A pool of Jedis connections to where the application's own pool connects to, in the
 * same way: the application may use all of its own. Stops together with that.
 */
final class JedisReservedConnections implements ReservedConnections, SmartLifecycle, DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(JedisReservedConnections.class);

	private final RedisConnectionFactory application;

	private final @Nullable JedisReservedFactory own;

	private volatile boolean running;

	/**
	 * Connect to where an application does.
	 * @param application where the application's connections come from
	 * @param maxActive most connections at one time, to each server
	 */
	JedisReservedConnections(RedisConnectionFactory application, int maxActive) {
		this.application = application;
		this.own = (application.getClass() == JedisConnectionFactory.class)
				? reserved((JedisConnectionFactory) application, maxActive) : null;
		if (this.own == null) {
			logger.debug("Locks share the connections of {}: it may make them in a way of its own", application);
		}
	}

	private static JedisReservedFactory reserved(JedisConnectionFactory application, int maxActive) {
		return new JedisReservedFactory(() -> copy(application, maxActive), application);
	}

	private static JedisConnectionFactory copy(JedisConnectionFactory application, int maxActive) {
		JedisConnectionFactory copy = connectingAs(application,
				new JedisPooledConfiguration(application.getClientConfiguration(), pool(application, maxActive)));
		copy.setUseUnifiedJedis(application.isUseUnifiedJedis());
		return copy;
	}

	private static JedisConnectionFactory connectingAs(JedisConnectionFactory application,
			JedisClientConfiguration client) {
		RedisClusterConfiguration cluster = application.getClusterConfiguration();
		if (cluster != null) {
			return new JedisConnectionFactory(cluster, client);
		}
		RedisSentinelConfiguration sentinel = application.getSentinelConfiguration();
		if (sentinel != null) {
			return new JedisConnectionFactory(sentinel, client);
		}
		RedisStandaloneConfiguration standalone = application.getStandaloneConfiguration();
		Assert.state(standalone != null, "A Jedis connection factory must know its server");
		return new JedisConnectionFactory(standalone, client);
	}

	/**
	 * The application's settings, except for what is about numbers. Nobody waits for a
	 * connection longer than for an answer.
	 */
	private static GenericObjectPoolConfig<?> pool(JedisConnectionFactory application, int maxActive) {
		GenericObjectPoolConfig<?> theirs = application.getPoolConfig();
		GenericObjectPoolConfig<?> pool = (theirs != null) ? theirs.clone() : new ConnectionPoolConfig();
		Duration patience = application.getClientConfiguration().getReadTimeout();
		pool.setMaxTotal(maxActive);
		pool.setMaxIdle(maxActive);
		pool.setMinIdle(0);
		pool.setBlockWhenExhausted(true);
		pool.setMaxWait(patience.isZero() ? Duration.ofMillis(-1) : patience);
		pool.setJmxEnabled(false);
		return pool;
	}

	@Override
	public RedisConnectionFactory factory() {
		return (this.own != null) ? this.own : this.application;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		if (this.own != null) {
			this.own.stop();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * That of the application's connections.
	 */
	@Override
	public int getPhase() {
		return (this.application instanceof SmartLifecycle lifecycle) ? lifecycle.getPhase() : 0;
	}

	@Override
	public void destroy() {
		if (this.own != null) {
			this.own.destroy();
		}
	}

}
