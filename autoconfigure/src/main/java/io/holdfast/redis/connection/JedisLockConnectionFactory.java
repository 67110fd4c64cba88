package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

final class JedisLockConnectionFactory extends LockConnectionFactory {

	// Not part of the pool
	private static final int SUBSCRIBED = 1;

	// For held locks, if the pool is large enough
	private static final int RESERVED = 2;

	private static final Duration UNLIMITED = Duration.ofDays(1);

	// Before 4.1, Spring Data uses another part of Jedis
	private static final boolean SUPPORTED = ClassUtils.hasMethod(JedisClientConfiguration.class,
			"getClientCustomizer");

	private final Supplier<JedisClientConfiguration> client;

	private final int maxActive;

	JedisLockConnectionFactory(RedisConfiguration servers, Supplier<JedisClientConfiguration> client, int maxActive) {
		this(() -> servers, client, maxActive, () -> true, 0);
	}

	private JedisLockConnectionFactory(Supplier<RedisConfiguration> servers, Supplier<JedisClientConfiguration> client,
			int maxActive, BooleanSupplier ready, int phase) {
		super(() -> Target.of(servers.get(), client.get(), null), servers.get() instanceof RedisClusterConfiguration,
				ready, phase);
		Assert.notNull(client, "'client' must not be null");
		Assert.state(SUPPORTED,
				"Connections of their own by Jedis need Spring Data Redis 4.1 (Spring Boot 4.1) or newer: "
						+ "raise 'spring-boot.version', or use Lettuce");
		this.client = client;
		this.maxActive = maxActive;
	}

	// Usable while the application's own factory is started
	static @Nullable JedisLockConnectionFactory like(JedisConnectionFactory application, int maxActive) {
		return (SUPPORTED && application.getClass() == JedisConnectionFactory.class)
				? new JedisLockConnectionFactory(() -> servers(application), application::getClientConfiguration,
						maxActive, application::isRunning, application.getPhase())
				: null;
	}

	private static RedisConfiguration servers(JedisConnectionFactory application) {
		RedisConfiguration cluster = application.getClusterConfiguration();
		RedisConfiguration sentinel = application.getSentinelConfiguration();
		RedisConfiguration several = (cluster != null) ? cluster : sentinel;
		return (several != null) ? several : Objects.requireNonNull(application.getStandaloneConfiguration());
	}

	static int poolSize(JedisConnectionFactory application) {
		GenericObjectPoolConfig<?> pool = application.getPoolConfig();
		return (pool != null) ? pool.getMaxTotal() : GenericObjectPoolConfig.DEFAULT_MAX_TOTAL;
	}

	@Override
	LockServers connect(Target fresh) {
		JedisClientConfiguration options = (JedisClientConfiguration) fresh.client();
		return JedisServers.of(JedisSettings.of(fresh.servers(), options), pool(options));
	}

	// With the application's settings, except limits: no caller waits longer for a
	// connection than for an answer
	@SuppressWarnings("unchecked")
	private GenericObjectPoolConfig<Connection> pool(JedisClientConfiguration options) {
		GenericObjectPoolConfig<Connection> pool = options.getPoolConfig()
			.map((theirs) -> (GenericObjectPoolConfig<Connection>) theirs.clone())
			.orElseGet(ConnectionPoolConfig::new);
		int size = (this.maxActive > 0) ? Math.max(1, this.maxActive - SUBSCRIBED) : this.maxActive;
		pool.setMaxTotal(size);
		pool.setMaxIdle(size);
		pool.setMinIdle(0);
		pool.setBlockWhenExhausted(true);
		pool.setMaxWait(maxWait());
		pool.setJmxEnabled(false);
		pool.setCollectDetailedStatistics(false);
		return pool;
	}

	// A Cluster has a pool for each node: with one limit for all, a node that hangs would
	// block the others
	@Override
	int maxAcquiring() {
		return (isCluster() || this.maxActive <= 0) ? 0 : Math.max(1, this.maxActive - SUBSCRIBED - RESERVED);
	}

	@Override
	Duration maxWait() {
		Duration timeout = this.client.get().getReadTimeout();
		return timeout.isZero() ? UNLIMITED : timeout;
	}

}
