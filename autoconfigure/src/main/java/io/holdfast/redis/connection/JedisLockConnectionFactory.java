package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.JedisClusterCRC16;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClusterConnection;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * Makes connections for locks by Jedis: a pool of them for each server.
 *
 * @since 0.1.0
 */
public final class JedisLockConnectionFactory implements LockConnectionFactory {

	/**
	 * One connection is subscribed. It is not part of the pool.
	 */
	private static final int LISTENING = 1;

	/**
	 * How many connections are reserved for held locks, if the pool is large enough.
	 */
	private static final int KEPT = 2;

	private static final Duration UNLIMITED = Duration.ofDays(1);

	/**
	 * Before 4.1, Spring Data uses another part of Jedis.
	 */
	private static final boolean SUPPORTED = ClassUtils.hasMethod(JedisClientConfiguration.class,
			"getClientCustomizer");

	private final RedisConfiguration servers;

	private final JedisClientConfiguration client;

	private final int maxActive;

	private final BooleanSupplier ready;

	private final int phase;

	private volatile @Nullable JedisClient open;

	private volatile int attempts;

	private boolean destroyed;

	/**
	 * Create a factory.
	 * @param servers the servers to connect to
	 * @param client the client's options
	 * @param maxActive most connections at one time, to each server
	 */
	public JedisLockConnectionFactory(RedisConfiguration servers, JedisClientConfiguration client, int maxActive) {
		this(servers, client, maxActive, () -> true, 0);
	}

	private JedisLockConnectionFactory(RedisConfiguration servers, JedisClientConfiguration client, int maxActive,
			BooleanSupplier ready, int phase) {
		Assert.notNull(servers, "'servers' must not be null");
		Assert.notNull(client, "'client' must not be null");
		Assert.state(SUPPORTED,
				"Connections of their own by Jedis need Spring Data Redis 4.1 (Spring Boot 4.1) or newer: "
						+ "raise 'spring-boot.version', or use Lettuce");
		this.servers = servers;
		this.client = client;
		this.maxActive = maxActive;
		this.ready = ready;
		this.phase = phase;
	}

	/**
	 * Create a factory for the servers of an application, to use while the application's
	 * own factory is started.
	 * @param application where the application's connections come from
	 * @param maxActive most connections at one time, to each server
	 * @return the factory, or {@code null} if the application's connections cannot be
	 * copied, or Spring Data is older than 4.1
	 */
	public static @Nullable JedisLockConnectionFactory like(JedisConnectionFactory application, int maxActive) {
		return (SUPPORTED && application.getClass() == JedisConnectionFactory.class)
				? new JedisLockConnectionFactory(servers(application), application.getClientConfiguration(), maxActive,
						application::isRunning, application.getPhase())
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
	public <T extends @Nullable Object> T ask(byte[] key, Function<LockConnection, T> question) {
		return open().executor().ask(isCluster() ? JedisClusterCRC16.getSlot(key) : JedisExecutor.ANY_SLOT, question);
	}

	@Override
	public <T extends @Nullable Object> T askAlone(Function<LockConnection, T> question) {
		return open().executor().ask(JedisExecutor.ANY_SLOT, question);
	}

	@Override
	public boolean isCluster() {
		return this.servers instanceof RedisClusterConfiguration;
	}

	/**
	 * A Cluster has a pool for each node: with one limit for all, a node that hangs would
	 * block the others.
	 */
	@Override
	public int mostForOthers() {
		return (isCluster() || this.maxActive <= 0) ? 0 : Math.max(1, this.maxActive - LISTENING - KEPT);
	}

	@Override
	public Duration longestWait() {
		Duration timeout = this.client.getReadTimeout();
		return timeout.isZero() ? UNLIMITED : timeout;
	}

	@Override
	public RedisConnection getConnection() {
		UnifiedJedis jedis = open().jedis();
		// One expression for both would have a type that Spring Data 4.0 does not have
		if (jedis instanceof RedisClusterClient cluster) {
			return new JedisClusterConnection(cluster);
		}
		return new JedisConnection(jedis);
	}

	@Override
	public RedisClusterConnection getClusterConnection() {
		return (RedisClusterConnection) getConnection();
	}

	/**
	 * With a connection of the pool, an error that hits the subscribed thread would leave
	 * it subscribed.
	 */
	@Override
	public RedisConnection getSubscriptionConnection() {
		return new JedisConnection(open().unpooled());
	}

	@Override
	public RedisSentinelConnection getSentinelConnection() {
		throw new UnsupportedOperationException("Locks ask no Sentinel");
	}

	@Override
	public boolean getConvertPipelineAndTxResults() {
		return true;
	}

	@Override
	public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException ex) {
		return null;
	}

	private JedisClient open() {
		int attempt = this.attempts;
		JedisClient client = this.open;
		return (client != null) ? client : open(attempt);
	}

	/**
	 * A caller that waited for a failed attempt does not make another.
	 */
	private synchronized JedisClient open(int attempt) {
		JedisClient client = this.open;
		if (client != null) {
			return client;
		}
		if (this.destroyed || !this.ready.getAsBoolean()) {
			throw new IllegalStateException("The connections of the application are closed, or not open yet");
		}
		if (attempt != this.attempts) {
			throw new RedisConnectionFailureException("Another caller could not make a connection meanwhile");
		}
		this.attempts++;
		client = JedisClient.of(this.servers, this.client, pool());
		this.open = client;
		return client;
	}

	/**
	 * The application's settings, except limits. No caller waits longer for a connection
	 * than for an answer.
	 */
	@SuppressWarnings("unchecked")
	private GenericObjectPoolConfig<Connection> pool() {
		GenericObjectPoolConfig<Connection> pool = this.client.getPoolConfig()
			.map((theirs) -> (GenericObjectPoolConfig<Connection>) theirs.clone())
			.orElseGet(ConnectionPoolConfig::new);
		int size = (this.maxActive > 0) ? Math.max(1, this.maxActive - LISTENING) : this.maxActive;
		pool.setMaxTotal(size);
		pool.setMaxIdle(size);
		pool.setMinIdle(0);
		pool.setBlockWhenExhausted(true);
		pool.setMaxWait(longestWait());
		pool.setJmxEnabled(false);
		pool.setCollectDetailedStatistics(false);
		return pool;
	}

	@Override
	public void start() {
		// The first caller that asks for a connection does
	}

	@Override
	public synchronized void stop() {
		JedisClient client = this.open;
		if (client != null) {
			this.open = null;
			client.close();
		}
	}

	@Override
	public boolean isRunning() {
		return this.open != null;
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

	@Override
	public synchronized void destroy() {
		this.destroyed = true;
		stop();
	}

}
