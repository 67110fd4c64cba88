package io.holdfast.redis.connection;

import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.engine.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.PoolException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Asks one Redis, over a connection that is lent for each request. Where connections are
 * limited, some are reserved for held locks.
 *
 * <p>
 * Connections come straight from the factory, never from a template: one that is bound to
 * a running transaction would only queue the scripts.
 *
 * @since 0.1.0
 */
public final class LockClient implements AutoCloseable {

	// How many of the reserved connections operators may use at a time
	private static final int MAX_OPERATING = 1;

	private final RedisConnectionFactory connections;

	private final @Nullable LockConnectionFactory own;

	private final Map<Purpose, Semaphore> permits;

	private volatile @Nullable Boolean cluster;

	private volatile boolean acceptedBefore;

	/**
	 * Create a client.
	 * @param connections where connections come from
	 */
	public LockClient(RedisConnectionFactory connections) {
		this.connections = connections;
		this.own = (connections instanceof LockConnectionFactory factory) ? factory : null;
		int most = (this.own != null) ? this.own.maxAcquiring() : 0;
		this.permits = (most > 0)
				? Map.of(Purpose.ACQUIRE, new Semaphore(most), Purpose.OPERATE, new Semaphore(MAX_OPERATING))
				: Map.of();
		this.cluster = (this.own != null) ? this.own.isCluster() : null;
	}

	/**
	 * Connect to an application's servers, over connections that only locks use.
	 * @param application where the application's connections come from
	 * @return the factory for locks: the application's own, if its connections cannot be
	 * copied
	 */
	public static RedisConnectionFactory connectionsLike(RedisConnectionFactory application) {
		int maxActive = (application instanceof JedisConnectionFactory jedis)
				? JedisLockConnectionFactory.poolSize(jedis) : 0;
		LockConnectionFactory own = connectionsLike(application, maxActive);
		return (own != null) ? own : application;
	}

	/**
	 * Connect to an application's servers, over connections that only locks use.
	 * @param application where the application's connections come from
	 * @param maxActive most connections at one time to each server, with Jedis
	 * @return the factory for locks, or {@code null} if the application's connections
	 * cannot be copied
	 */
	public static @Nullable LockConnectionFactory connectionsLike(RedisConnectionFactory application, int maxActive) {
		if (application instanceof JedisConnectionFactory jedis) {
			return JedisLockConnectionFactory.like(jedis, maxActive);
		}
		return (application instanceof LettuceConnectionFactory lettuce) ? LettuceLockConnectionFactory.like(lettuce)
				: null;
	}

	/**
	 * Connect to servers by Jedis, over connections that only locks use.
	 * @param servers the servers to connect to
	 * @param client the client's options; when there are others, such as for a renewed
	 * certificate, other connections are made
	 * @param maxActive most connections at one time, to each server
	 * @return the factory
	 */
	public static LockConnectionFactory connectionsByJedis(RedisConfiguration servers,
			Supplier<JedisClientConfiguration> client, int maxActive) {
		return new JedisLockConnectionFactory(servers, client, maxActive);
	}

	/**
	 * Connect to servers by Lettuce, over connections that only locks use.
	 * @param servers the servers to connect to
	 * @param client the client's options, as with Jedis
	 * @return the factory
	 */
	public static LockConnectionFactory connectionsByLettuce(RedisConfiguration servers,
			Supplier<LettuceClientConfiguration> client) {
		return new LettuceLockConnectionFactory(servers, client);
	}

	/**
	 * Return whether it is a Cluster, which connections that only locks use know.
	 * @return whether it is
	 */
	public boolean isCluster() {
		if (this.cluster == null) {
			execute((connection) -> true);
		}
		return isKnownAsCluster();
	}

	/**
	 * Return whether it is known to be a Cluster, from earlier requests.
	 * @return whether it is
	 */
	public boolean isKnownAsCluster() {
		return Boolean.TRUE.equals(this.cluster);
	}

	/**
	 * Ask the server that has a key. The interrupt flag is cleared meanwhile, since
	 * Lettuce would not wait for the answer, and set again afterwards, also if the
	 * connection pool has cleared it.
	 * @param lock the lock that the request is about, or {@code null}
	 * @param key a key of Redis, or {@code null} to ask several things over one
	 * connection that no other caller uses meanwhile, which a Cluster cannot
	 * @param purpose what the request is for
	 * @param question what to ask over a connection
	 * @param <T> the answer
	 * @return the answer
	 * @throws LockStoreException when there is none
	 */
	public <T extends @Nullable Object> T ask(@Nullable String lock, byte @Nullable [] key, Purpose purpose,
			Function<LockConnection, T> question) {
		boolean interrupted = Thread.interrupted();
		Semaphore permit = null;
		try {
			permit = LockServers.putOffInterrupts(purpose.interruptible, () -> acquirePermit(purpose));
			T answer = (this.own != null) ? this.own.open().ask(key, purpose.interruptible, question)
					: withConnection((connection) -> question.apply(new SpringConnection(connection)));
			if (!this.acceptedBefore) {
				this.acceptedBefore = true;
			}
			return answer;
		}
		catch (RuntimeException ex) {
			interrupted |= RedisFailures.isInterrupt(ex);
			throw RedisFailures.translate(lock, ex, this.acceptedBefore);
		}
		finally {
			if (permit != null) {
				permit.release();
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Ask anything else over a connection, again and again while the thread is
	 * interrupted. Connections are not limited in a Cluster, which alone is asked so.
	 * @param question what to ask, which changes nothing
	 * @param <T> the answer
	 * @return the answer
	 * @throws LockStoreException when Redis does not answer
	 */
	public <T extends @Nullable Object> T execute(Function<RedisConnection, T> question) {
		try {
			return LockServers.putOffInterrupts(false, () -> withConnection(question));
		}
		catch (RuntimeException ex) {
			throw RedisFailures.translate(null, ex, this.acceptedBefore);
		}
	}

	// Note what kind of Redis it is by the way
	private <T extends @Nullable Object> T withConnection(Function<RedisConnection, T> question) {
		try (RedisConnection connection = this.connections.getConnection()) {
			if (this.cluster == null) {
				this.cluster = connection instanceof RedisClusterConnection;
			}
			return question.apply(connection);
		}
	}

	private @Nullable Semaphore acquirePermit(Purpose purpose) {
		Semaphore permit = this.permits.get(purpose);
		if (permit == null || this.own == null) {
			return null;
		}
		long millis = this.own.maxWait().toMillis();
		try {
			if (!permit.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
				throw new PoolException((purpose == Purpose.OPERATE)
						? "The connection for operators did not become free within %d ms".formatted(millis)
						: "None of the %d connections for acquiring locks became free within %d ms: raise 'holdfast.redis.pool.max-active'"
							.formatted(this.own.maxAcquiring(), millis));
			}
			return permit;
		}
		catch (InterruptedException ex) {
			throw new RedisConnectionFailureException("Interrupted while waiting for a connection", ex);
		}
	}

	/**
	 * Close connections that only locks use.
	 */
	@Override
	public void close() {
		if (this.own != null) {
			this.own.destroy();
		}
	}

	/**
	 * What a request is for.
	 */
	public enum Purpose {

		/**
		 * To acquire a lock. An interrupt ends it.
		 */
		ACQUIRE(true),

		/**
		 * To renew, hand on, or release what is held or wanted no longer. A reserved
		 * connection may be used.
		 */
		HOLD(false),

		/**
		 * What is asked again later if there is no answer, so that an interrupt may end
		 * it. A reserved connection may be used.
		 */
		REPEAT(true),

		/**
		 * For operators, who take no connection from callers.
		 */
		OPERATE(false);

		private final boolean interruptible;

		Purpose(boolean interruptible) {
			this.interruptible = interruptible;
		}

	}

}
