package io.holdfast.autoconfigure;

import java.time.Duration;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.ConnectionPoolConfig;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.Assert;

/**
 * A pool of Jedis connections to where the application's own pool connects to, in the
 * same way: the application may use all of its own.
 */
final class JedisReservedConnections implements ReservedConnections, DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(JedisReservedConnections.class);

	private final RedisConnectionFactory application;

	private final int maxActive;

	private @Nullable JedisConnectionFactory own;

	/**
	 * Connect to where an application does, when that is first asked for.
	 * @param application where the application's connections come from
	 * @param maxActive most connections at one time, to each server
	 */
	JedisReservedConnections(RedisConnectionFactory application, int maxActive) {
		this.application = application;
		this.maxActive = maxActive;
	}

	@Override
	public synchronized RedisConnectionFactory factory() {
		if (this.application.getClass() != JedisConnectionFactory.class) {
			logger.debug("Locks share the connections of {}: it may make them in a way of its own", this.application);
			return this.application;
		}
		if (this.own == null) {
			this.own = copy((JedisConnectionFactory) this.application, this.maxActive);
		}
		return this.own;
	}

	private static JedisConnectionFactory copy(JedisConnectionFactory factory, int maxActive) {
		JedisConnectionFactory copy = connectingAs(factory,
				new JedisPooledConfiguration(factory.getClientConfiguration(), pool(factory, maxActive)));
		copy.setUseUnifiedJedis(factory.isUseUnifiedJedis());
		copy.afterPropertiesSet();
		return copy;
	}

	private static JedisConnectionFactory connectingAs(JedisConnectionFactory factory,
			JedisClientConfiguration client) {
		RedisClusterConfiguration cluster = factory.getClusterConfiguration();
		if (cluster != null) {
			return new JedisConnectionFactory(cluster, client);
		}
		RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
		if (sentinel != null) {
			return new JedisConnectionFactory(sentinel, client);
		}
		RedisStandaloneConfiguration standalone = factory.getStandaloneConfiguration();
		Assert.state(standalone != null, "A Jedis connection factory must know its server");
		return new JedisConnectionFactory(standalone, client);
	}

	/**
	 * The application's settings, except for what is about numbers. Nobody waits for a
	 * connection longer than for an answer.
	 */
	private static GenericObjectPoolConfig<?> pool(JedisConnectionFactory factory, int maxActive) {
		GenericObjectPoolConfig<?> theirs = factory.getPoolConfig();
		GenericObjectPoolConfig<?> pool = (theirs != null) ? theirs.clone() : new ConnectionPoolConfig();
		Duration patience = factory.getClientConfiguration().getReadTimeout();
		pool.setMaxTotal(maxActive);
		pool.setMaxIdle(maxActive);
		pool.setMinIdle(0);
		pool.setBlockWhenExhausted(true);
		pool.setMaxWait(patience.isZero() ? Duration.ofMillis(-1) : patience);
		pool.setJmxEnabled(false);
		return pool;
	}

	@Override
	public synchronized void destroy() {
		if (this.own != null) {
			this.own.destroy();
		}
	}

}
