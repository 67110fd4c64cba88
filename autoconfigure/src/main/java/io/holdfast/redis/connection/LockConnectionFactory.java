package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;

/**
 * Makes connections that only locks use, by a client that sends each command once: the
 * engine repeats requests with an unknown result, and must know each attempt. The first
 * connection is opened on demand; so is the next one after a stop. They are closed with
 * the store that uses them.
 *
 * @since 0.1.0
 */
public abstract class LockConnectionFactory implements RedisConnectionFactory, SmartLifecycle, DisposableBean {

	/**
	 * For how long a subscription that is in order may be without any message.
	 */
	public static final Duration LONGEST_SILENCE = Duration.ofSeconds(10);

	private static final Duration CHECK_PERIOD = Duration.ofMillis(100);

	private final boolean cluster;

	private final Supplier<Target> target;

	private final BooleanSupplier ready;

	private final int phase;

	private final RateLimit targetChecks = new RateLimit(CHECK_PERIOD);

	private volatile @Nullable Open open;

	private volatile int attempts;

	private boolean destroyed;

	LockConnectionFactory(Supplier<Target> target, boolean cluster, BooleanSupplier ready, int phase) {
		this.target = target;
		this.cluster = cluster;
		this.ready = ready;
		this.phase = phase;
	}

	abstract LockServers connect(Target fresh);

	/**
	 * Return whether it connects to a Cluster.
	 * @return whether it does
	 */
	public boolean isCluster() {
		return this.cluster;
	}

	// Other connections are reserved to renew and release; 0 for no limit
	int maxAcquiring() {
		return 0;
	}

	Duration maxWait() {
		return Duration.ZERO;
	}

	/**
	 * Make a connection to subscribe with, which is closed when it is returned. It may
	 * fail when no message arrives for the {@link #LONGEST_SILENCE}.
	 * @return the connection
	 */
	public RedisConnection getSubscriptionConnection() {
		return open().subscriptionConnection();
	}

	@Override
	public RedisConnection getConnection() {
		return open().connection();
	}

	@Override
	public RedisClusterConnection getClusterConnection() {
		return (RedisClusterConnection) getConnection();
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

	LockServers open() {
		int attempt = this.attempts;
		Open present = this.open;
		return (present != null && !(this.targetChecks.tryAcquire() && isMoved(present))) ? present.servers()
				: open(attempt);
	}

	// Locks follow where the application's connections lead
	private boolean isMoved(Open present) {
		return this.ready.getAsBoolean() && !present.target().equals(this.target.get());
	}

	// A caller that waited for a failed attempt does not make another
	private synchronized LockServers open(int attempt) {
		Open present = this.open;
		if (present != null && !isMoved(present)) {
			return present.servers();
		}
		if (this.destroyed || !this.ready.getAsBoolean()) {
			throw new IllegalStateException("The connections of the application are closed, or not open yet");
		}
		if (attempt != this.attempts) {
			throw new RedisConnectionFailureException("Another caller could not make a connection meanwhile");
		}
		stop();
		try {
			Target fresh = this.target.get();
			LockServers servers = connect(fresh);
			this.open = new Open(fresh, servers);
			return servers;
		}
		finally {
			this.attempts++;
		}
	}

	/**
	 * Started by the first request for a connection: the application's own may still have
	 * to start, which may fail.
	 */
	@Override
	public boolean isAutoStartup() {
		return false;
	}

	@Override
	public void start() {
		// The first caller that asks for a connection does
	}

	@Override
	public synchronized void stop() {
		Open present = this.open;
		if (present != null) {
			this.open = null;
			present.servers().close();
		}
	}

	@Override
	public boolean isPauseable() {
		return false;
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

	private record Open(Target target, LockServers servers) {
	}

	/**
	 * What an application's connections are made from, as of a moment. The servers may be
	 * changed in place: then their hash code changes.
	 *
	 * @param client the client's options
	 * @param resources those of the client that both share, or {@code null}
	 */
	record Target(RedisConfiguration servers, int hash, Object client, @Nullable Object resources) {

		static Target of(RedisConfiguration servers, Object client, @Nullable Object resources) {
			return new Target(servers, servers.hashCode(), client, resources);
		}

	}

}
