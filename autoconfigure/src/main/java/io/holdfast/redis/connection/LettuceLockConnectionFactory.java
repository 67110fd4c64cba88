package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;

/**
 * Makes connections for locks by Lettuce. All callers share one: Lettuce's own threads
 * read the replies, so an error that hits a caller leaves nothing behind.
 *
 * @since 0.1.0
 */
public final class LettuceLockConnectionFactory extends LettuceConnectionFactory implements LockConnectionFactory {

	private static final int MOST_IDLE = 8;

	private final BooleanSupplier ready;

	/**
	 * The connection that all callers share, or the latest attempt to make it.
	 */
	private volatile @Nullable CompletableFuture<Shared> shared;

	/**
	 * Idle connections, each of which is lent to one caller at a time.
	 */
	private final Deque<Unshared> idle = new ConcurrentLinkedDeque<>();

	/**
	 * Create a factory.
	 * @param servers the servers to connect to
	 * @param client the client's options
	 */
	public LettuceLockConnectionFactory(RedisConfiguration servers, LettuceClientConfiguration client) {
		this(servers, client, () -> true);
	}

	private LettuceLockConnectionFactory(RedisConfiguration servers, LettuceClientConfiguration client,
			BooleanSupplier ready) {
		super(servers, client);
		this.ready = ready;
		setAutoStartup(false);
		setEarlyStartup(false);
	}

	/**
	 * Create a factory for the servers of an application, to use while the application's
	 * own factory is started.
	 * @param application where the application's connections come from
	 * @return the factory, or {@code null} if the application's connections cannot be
	 * copied
	 */
	public static @Nullable LettuceLockConnectionFactory like(LettuceConnectionFactory application) {
		RedisConfiguration servers = (application.getClass() == LettuceConnectionFactory.class) ? servers(application)
				: null;
		if (servers == null) {
			return null;
		}
		LettuceLockConnectionFactory own = new LettuceLockConnectionFactory(servers,
				new LettuceSendingOnce(application), application::isRunning);
		own.setPhase(application.getPhase());
		return own;
	}

	/**
	 * Return which servers a factory connects to. Its methods reveal it in some cases
	 * only, not for static masters with replicas.
	 */
	private static @Nullable RedisConfiguration servers(LettuceConnectionFactory application) {
		DirectFieldAccessor fields = new DirectFieldAccessor(application);
		return fields.isReadableProperty("configuration")
				? (RedisConfiguration) fields.getPropertyValue("configuration") : null;
	}

	@Override
	public RedisConnection getConnection() {
		startIfReady();
		return super.getConnection();
	}

	@Override
	public RedisConnection getSubscriptionConnection() {
		return getConnection();
	}

	private void startIfReady() {
		if (!isRunning()) {
			startOnce();
		}
	}

	private synchronized void startOnce() {
		if (isRunning() || !this.ready.getAsBoolean()) {
			return;
		}
		try {
			start();
		}
		catch (RuntimeException | Error ex) {
			stop();
			throw ex;
		}
	}

	@Override
	public boolean isCluster() {
		return isClusterAware();
	}

	@Override
	public int mostForOthers() {
		return 0;
	}

	@Override
	public Duration longestWait() {
		return Duration.ofMillis(getTimeout());
	}

	@Override
	public <T extends @Nullable Object> T ask(byte[] key, Function<LockConnection, T> question) {
		startIfReady();
		CompletableFuture<Shared> attempt = attempt();
		Shared connection = await(attempt);
		long askedAt = System.nanoTime();
		try {
			T answer = question.apply(new LettuceConnection(connection.commands(), getTimeout()));
			connection.answered();
			return answer;
		}
		catch (RedisCommandTimeoutException ex) {
			if (isRedisSentinelAware() && connection.isSilentSince(askedAt)) {
				abandon(attempt);
			}
			throw ex;
		}
		catch (RedisCommandExecutionException ex) {
			connection.answered();
			throw ex;
		}
	}

	@Override
	protected @Nullable StatefulRedisConnection<byte[], byte[]> getSharedConnection() {
		return isClusterAware() ? null : (StatefulRedisConnection<byte[], byte[]>) await(attempt()).redis();
	}

	@Override
	protected @Nullable StatefulRedisClusterConnection<byte[], byte[]> getSharedClusterConnection() {
		return isClusterAware() ? (StatefulRedisClusterConnection<byte[], byte[]>) await(attempt()).redis() : null;
	}

	/**
	 * Spring Data lets callers connect one after the other, and none of them can be
	 * interrupted. Here all wait for the same attempt, and one that waited for a failed
	 * attempt does not make another.
	 */
	private CompletableFuture<Shared> attempt() {
		CompletableFuture<Shared> attempt = this.shared;
		return (attempt != null && !attempt.isCompletedExceptionally()) ? attempt : attemptAfter(attempt);
	}

	private synchronized CompletableFuture<Shared> attemptAfter(@Nullable CompletableFuture<Shared> failed) {
		CompletableFuture<Shared> attempt = this.shared;
		if (attempt == null || attempt == failed) {
			attempt = this.<StatefulConnection<byte[], byte[]>>begin(StatefulConnection.class).thenApply(Shared::new);
			this.shared = attempt;
		}
		return attempt;
	}

	/**
	 * A master that hangs ends no connection, and Lettuce asks the Sentinels for another
	 * only when it connects.
	 */
	private synchronized void abandon(CompletableFuture<Shared> silent) {
		if (this.shared == silent) {
			resetConnection();
		}
	}

	@Override
	public synchronized void resetConnection() {
		CompletableFuture<Shared> attempt = this.shared;
		if (attempt != null) {
			this.shared = null;
			attempt.thenAccept((connection) -> connection.redis().closeAsync());
		}
	}

	/**
	 * A connection on which a request failed is not used again.
	 */
	@Override
	public <T extends @Nullable Object> T askAlone(Function<LockConnection, T> question) {
		startIfReady();
		Unshared connection = take();
		boolean reusable = false;
		try {
			T answer = question.apply(new LettuceConnection(connection.redis().async(), getTimeout()));
			connection.ensureNeverLost();
			reusable = true;
			return answer;
		}
		finally {
			if (reusable) {
				keep(connection);
			}
			else {
				connection.redis().closeAsync();
			}
		}
	}

	private Unshared take() {
		Unshared connection = this.idle.pollFirst();
		while (connection != null && connection.isLost()) {
			connection.redis().closeAsync();
			connection = this.idle.pollFirst();
		}
		return (connection != null) ? connection : connect();
	}

	/**
	 * Connect, and close a connection that opens after its caller has left.
	 */
	private Unshared connect() {
		CompletableFuture<Unshared> connecting = this
			.<StatefulRedisConnection<byte[], byte[]>>begin(StatefulRedisConnection.class)
			.thenApply(Unshared::of);
		Unshared connected = null;
		try {
			connected = await(connecting);
			return connected;
		}
		finally {
			if (connected == null) {
				connecting.thenAccept((late) -> late.redis().closeAsync());
			}
		}
	}

	/**
	 * Begin to connect. In a Cluster, Spring Data would wait for the nodes here.
	 */
	@SuppressWarnings("unchecked")
	private <T extends StatefulConnection<byte[], byte[]>> CompletableFuture<T> begin(Class<?> type) {
		AbstractRedisClient client = getRequiredNativeClient();
		LettuceConnectionProvider connections = doCreateConnectionProvider(client, ByteArrayCodec.INSTANCE);
		CompletionStage<?> nodes = (client instanceof RedisClusterClient cluster) ? cluster.refreshPartitionsAsync()
				: CompletableFuture.completedStage(null);
		return nodes.thenCompose((known) -> connections.getConnectionAsync((Class<T>) type)).toCompletableFuture();
	}

	private <T> T await(CompletableFuture<T> connecting) {
		try {
			return connecting.isDone() ? connecting.get() : connecting.get(longestAttempt(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			throw new RedisConnectionFailureException("Interrupted while connecting", ex);
		}
		catch (ExecutionException ex) {
			throw new RedisConnectionFailureException("Unable to connect to Redis", ex);
		}
		catch (TimeoutException ex) {
			throw new RedisConnectionFailureException(
					"No connection to Redis within %d ms".formatted(longestAttempt()));
		}
	}

	/**
	 * Return how long to wait for a connection to a server and for its first answer, in
	 * milliseconds.
	 */
	private long longestAttempt() {
		long timeout = getTimeout();
		ClientOptions options = getClientConfiguration().getClientOptions().orElseGet(ClientOptions::create);
		return (timeout > 0) ? timeout + options.getSocketOptions().getConnectTimeout().toMillis() : Long.MAX_VALUE;
	}

	/**
	 * Of two concurrent callers, at least one sees what the other added: never do too
	 * many stay.
	 */
	private void keep(Unshared connection) {
		this.idle.addFirst(connection);
		closeIdle(isRunning() ? MOST_IDLE : 0);
	}

	private void closeIdle(int left) {
		while (this.idle.size() > left) {
			Unshared surplus = this.idle.pollLast();
			if (surplus != null) {
				surplus.redis().closeAsync();
			}
		}
	}

	@Override
	public void stop() {
		super.stop();
		resetConnection(); // what was begun meanwhile
		closeIdle(0);
	}

	/**
	 * The connection of all callers.
	 */
	private static final class Shared {

		private final StatefulConnection<byte[], byte[]> redis;

		private volatile long answeredAt = System.nanoTime();

		private Shared(StatefulConnection<byte[], byte[]> redis) {
			this.redis = redis;
		}

		private StatefulConnection<byte[], byte[]> redis() {
			return this.redis;
		}

		private RedisClusterAsyncCommands<byte[], byte[]> commands() {
			return (this.redis instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) ? cluster.async()
					: ((StatefulRedisConnection<byte[], byte[]>) this.redis).async();
		}

		private void answered() {
			this.answeredAt = System.nanoTime();
		}

		private boolean isSilentSince(long nanos) {
			return this.answeredAt - nanos <= 0;
		}

	}

	/**
	 * A connection of its own. Once lost, it must not be used any more: Lettuce
	 * reconnects by itself, maybe to another server, which has no write to wait for.
	 */
	private static final class Unshared implements RedisConnectionStateListener {

		private final StatefulRedisConnection<byte[], byte[]> redis;

		private volatile boolean lost;

		private Unshared(StatefulRedisConnection<byte[], byte[]> redis) {
			this.redis = redis;
		}

		private static Unshared of(StatefulRedisConnection<byte[], byte[]> redis) {
			Unshared connection = new Unshared(redis);
			redis.addListener(connection);
			connection.lost = !redis.isOpen();
			return connection;
		}

		private StatefulRedisConnection<byte[], byte[]> redis() {
			return this.redis;
		}

		@Override
		public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
			this.lost = true;
		}

		private boolean isLost() {
			return this.lost;
		}

		/**
		 * Fail unless everything was sent over one and the same connection.
		 */
		private void ensureNeverLost() {
			if (this.lost) {
				throw new RedisConnectionFailureException("The connection was lost meanwhile");
			}
		}

	}

}
