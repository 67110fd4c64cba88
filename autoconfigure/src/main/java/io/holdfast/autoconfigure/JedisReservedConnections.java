package io.holdfast.autoconfigure;

import java.time.Duration;

import io.holdfast.redis.ConnectionSource;
import io.holdfast.redis.JedisClusterLockConnectionFactory;
import io.holdfast.redis.JedisLockConnections;
import io.holdfast.redis.LockConnections;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.ConnectionPoolConfig;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.Assert;

/**
 * A pool of Jedis connections to where the application's own pool connects to, in the
 * same way: the application may use all of its own. In a Cluster, the client sends each
 * command once.
 */
final class JedisReservedConnections extends ReservedConnections {

	private static final int LISTENING = 1;

	/**
	 * How many connections are kept for locks that are held, if there are so many.
	 */
	private static final int KEPT = 2;

	private static final Duration UNLIMITED = Duration.ofDays(1);

	private final RedisConnectionFactory application;

	private final int maxActive;

	/**
	 * Connect to where an application does.
	 * @param application where the application's connections come from
	 * @param maxActive most connections at one time, to each server
	 */
	JedisReservedConnections(RedisConnectionFactory application, int maxActive) {
		super(application, (application.getClass() == JedisConnectionFactory.class)
				? reserved((JedisConnectionFactory) application, maxActive) : null);
		this.application = application;
		this.maxActive = maxActive;
	}

	private static JedisLockConnections reserved(JedisConnectionFactory application, int maxActive) {
		return new JedisLockConnections(() -> copy(application, maxActive), patience(application),
				application::isRunning);
	}

	private static JedisConnectionFactory copy(JedisConnectionFactory application, int maxActive) {
		JedisClientConfiguration client = new JedisPooledConfiguration(application.getClientConfiguration(),
				pool(application, maxActive));
		RedisClusterConfiguration cluster = application.getClusterConfiguration();
		if (cluster != null) {
			return new JedisClusterLockConnectionFactory(cluster, client);
		}
		JedisConnectionFactory copy = connectingAs(application, client);
		copy.setUseUnifiedJedis(application.isUseUnifiedJedis());
		return copy;
	}

	private static JedisConnectionFactory connectingAs(JedisConnectionFactory application,
			JedisClientConfiguration client) {
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
		pool.setMaxTotal(maxActive);
		pool.setMaxIdle(maxActive);
		pool.setMinIdle(0);
		pool.setBlockWhenExhausted(true);
		pool.setMaxWait(patience(application));
		pool.setJmxEnabled(false);
		return pool;
	}

	private static Duration patience(JedisConnectionFactory application) {
		Duration timeout = application.getClientConfiguration().getReadTimeout();
		return timeout.isZero() ? UNLIMITED : timeout;
	}

	/**
	 * One connection listens, and some are left for locks that are held. A Cluster has a
	 * pool for each node: a limit for all of them would have one node that hangs keep
	 * others from being asked.
	 */
	@Override
	ConnectionSource source(LockConnections own) {
		JedisConnectionFactory like = (JedisConnectionFactory) this.application;
		return like.isRedisClusterAware() ? ConnectionSource.of(own)
				: new ConnectionSource(own, Math.max(1, this.maxActive - LISTENING - KEPT), patience(like));
	}

}
