package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;
import org.springframework.data.redis.connection.lettuce.LettuceSubscription;

/**
 * A server, by one connection that all callers share, and by some that are lent to one
 * caller at a time. Lettuce does not reconnect: the next request makes another connection
 * in place of one that is lost, silent, or leads to a server that is not the master.
 */
final class LettuceServer implements LettuceServers, LettuceConnectionProvider {

	private static final int MOST_IDLE = 8;

	private final RedisClient client;

	private final RedisURI address;

	/**
	 * The connection that all callers share, or the latest attempt to make it.
	 */
	private volatile @Nullable CompletableFuture<Shared> shared;

	private final Deque<StatefulRedisConnection<byte[], byte[]>> idle = new ConcurrentLinkedDeque<>();

	private final Set<StatefulConnection<?, ?>> subscribed = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	LettuceServer(RedisClient client, RedisURI address) {
		this.client = client;
		this.address = address;
	}

	@Override
	public <T extends @Nullable Object> T ask(byte[] key, Function<LockConnection, T> question) {
		CompletableFuture<Shared> attempt = attempt();
		Shared connection = connected(attempt);
		long askedAt = System.nanoTime();
		try {
			T answer = question.apply(new Lent(connection.redis.async(), this.address.getTimeout(), false));
			connection.answeredAt = System.nanoTime();
			return answer;
		}
		catch (RedisCommandTimeoutException ex) {
			if (connection.isSilentSince(askedAt)) {
				leave(attempt);
			}
			throw ex;
		}
		catch (RedisCommandExecutionException ex) {
			connection.answeredAt = System.nanoTime();
			if (RedisFailures.isNotMaster(ex)) {
				leave(attempt);
			}
			throw ex;
		}
	}

	/**
	 * All callers wait for the same attempt to connect. One that waited for a failed
	 * attempt does not make another.
	 */
	private CompletableFuture<Shared> attempt() {
		CompletableFuture<Shared> latest = this.shared;
		return (latest != null && isUsable(latest)) ? latest : attemptAfter(latest);
	}

	private static boolean isUsable(CompletableFuture<Shared> attempt) {
		return !attempt.isDone() || (!attempt.isCompletedExceptionally() && attempt.join().redis.isOpen());
	}

	private synchronized CompletableFuture<Shared> attemptAfter(@Nullable CompletableFuture<Shared> useless) {
		CompletableFuture<Shared> latest = this.shared;
		if (latest == null || latest == useless) {
			closeShared();
			latest = connect().thenApply(Shared::new);
			this.shared = latest;
		}
		return latest;
	}

	/**
	 * An attempt that has not ended in time may never end.
	 */
	private Shared connected(CompletableFuture<Shared> attempt) {
		try {
			return await(attempt);
		}
		catch (RedisConnectionFailureException ex) {
			if (ex.getCause() instanceof TimeoutException) {
				leave(attempt);
			}
			throw ex;
		}
	}

	private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connect() {
		return CompletableFuture.completedFuture(this.address).thenCompose((server) -> {
			ensureNotClosed();
			return this.client.connectAsync(ByteArrayCodec.INSTANCE, server);
		});
	}

	private CompletableFuture<StatefulRedisPubSubConnection<byte[], byte[]>> connectToSubscribe() {
		return CompletableFuture.completedFuture(this.address).thenCompose((server) -> {
			ensureNotClosed();
			return this.client.connectPubSubAsync(ByteArrayCodec.INSTANCE, server);
		}).thenApply((connection) -> {
			this.subscribed.add(connection);
			return connection;
		});
	}

	private void ensureNotClosed() {
		if (this.closed) {
			throw new RedisConnectionFailureException("The node has left the Cluster");
		}
	}

	private synchronized void leave(CompletableFuture<Shared> useless) {
		if (this.shared == useless) {
			closeConnections();
		}
	}

	private void closeConnections() {
		closeShared();
		closeIdle(0);
		this.subscribed.forEach(this::releaseAsync);
	}

	private void closeShared() {
		CompletableFuture<Shared> latest = this.shared;
		this.shared = null;
		if (latest != null) {
			latest.thenAccept((connection) -> connection.redis.closeAsync());
		}
	}

	@Override
	public <T extends @Nullable Object> T askAlone(Function<LockConnection, T> question) {
		return askAlone(false, question);
	}

	/**
	 * Ask over a connection of one's own. One on which a request failed is not used
	 * again.
	 * @param asking whether each command must be allowed, since a slot is being moved
	 */
	<T extends @Nullable Object> T askAlone(boolean asking, Function<LockConnection, T> question) {
		StatefulRedisConnection<byte[], byte[]> connection = take();
		boolean reusable = false;
		try {
			T answer = question.apply(new Lent(connection.async(), this.address.getTimeout(), asking));
			reusable = true;
			return answer;
		}
		finally {
			if (reusable) {
				keep(connection);
			}
			else {
				connection.closeAsync();
			}
		}
	}

	private StatefulRedisConnection<byte[], byte[]> take() {
		StatefulRedisConnection<byte[], byte[]> connection = this.idle.pollFirst();
		while (connection != null && !connection.isOpen()) {
			connection.closeAsync();
			connection = this.idle.pollFirst();
		}
		return (connection != null) ? connection : opened(connect());
	}

	/**
	 * Of two concurrent callers, at least one sees what the other added: never do too
	 * many stay.
	 */
	private void keep(StatefulRedisConnection<byte[], byte[]> connection) {
		this.idle.addFirst(connection);
		closeIdle(this.closed ? 0 : MOST_IDLE);
	}

	private void closeIdle(int left) {
		while (this.idle.size() > left) {
			StatefulRedisConnection<byte[], byte[]> surplus = this.idle.pollLast();
			if (surplus != null) {
				surplus.closeAsync();
			}
		}
	}

	@Override
	public RedisConnection connection() {
		return new Observed(connected(attempt()).redis, this, this.address);
	}

	@Override
	public RedisConnection subscriptionConnection() {
		return new Observed(null, this, this.address);
	}

	@Override
	public <T extends StatefulConnection<?, ?>> T getConnection(Class<T> type) {
		return opened(getConnectionAsync(type).toCompletableFuture());
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T extends StatefulConnection<?, ?>> CompletionStage<T> getConnectionAsync(Class<T> type) {
		return (CompletionStage<T>) (StatefulRedisPubSubConnection.class.equals(type) ? connectToSubscribe()
				: connect());
	}

	/**
	 * Lettuce warns if a connection is closed twice.
	 */
	@Override
	public CompletableFuture<Void> releaseAsync(StatefulConnection<?, ?> connection) {
		boolean released = connection instanceof StatefulRedisPubSubConnection && !this.subscribed.remove(connection);
		return released ? CompletableFuture.completedFuture(null) : connection.closeAsync();
	}

	/**
	 * Wait for a connection, and close one that opens after its caller has left.
	 */
	private <T extends StatefulConnection<?, ?>> T opened(CompletableFuture<T> connecting) {
		T connected = null;
		try {
			connected = await(connecting);
			return connected;
		}
		finally {
			if (connected == null) {
				connecting.thenAccept(this::releaseAsync);
			}
		}
	}

	private <T> T await(CompletableFuture<T> connecting) {
		return await(connecting, this.address.getTimeout(), this.client);
	}

	/**
	 * Wait for a connection to a server and for its first answer.
	 */
	static <T> T await(CompletableFuture<T> connecting, Duration timeout, AbstractRedisClient client) {
		long atMost = longestAttempt(timeout, client);
		try {
			return connecting.isDone() ? connecting.get() : connecting.get(atMost, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			throw new RedisConnectionFailureException("Interrupted while connecting", ex);
		}
		catch (ExecutionException ex) {
			throw new RedisConnectionFailureException("Unable to connect to Redis", ex);
		}
		catch (TimeoutException ex) {
			throw new RedisConnectionFailureException("No connection to Redis within %d ms".formatted(atMost), ex);
		}
	}

	static long longestAttempt(Duration timeout, AbstractRedisClient client) {
		return timeout.isZero() ? Long.MAX_VALUE
				: timeout.plus(client.getOptions().getSocketOptions().getConnectTimeout()).toMillis();
	}

	synchronized void close() {
		this.closed = true;
		closeConnections();
	}

	/**
	 * The connection of all callers.
	 */
	private static final class Shared {

		private final StatefulRedisConnection<byte[], byte[]> redis;

		private volatile long answeredAt = System.nanoTime();

		private Shared(StatefulRedisConnection<byte[], byte[]> redis) {
			this.redis = redis;
		}

		private boolean isSilentSince(long nanos) {
			return this.answeredAt - nanos <= 0;
		}

	}

	/**
	 * A connection of Spring Data that is not subscribed any more once it is lost.
	 */
	private static final class Observed extends LettuceConnection {

		private volatile @Nullable StatefulConnection<?, ?> redis;

		private Observed(@Nullable StatefulRedisConnection<byte[], byte[]> shared, LettuceServer server,
				RedisURI address) {
			super(shared, server, address.getTimeout().toMillis(), address.getDatabase());
		}

		@Override
		protected LettuceSubscription doCreateSubscription(MessageListener listener,
				StatefulRedisPubSubConnection<byte[], byte[]> connection, LettuceConnectionProvider provider) {
			this.redis = connection;
			return super.doCreateSubscription(listener, connection, provider);
		}

		@Override
		public boolean isSubscribed() {
			StatefulConnection<?, ?> connection = this.redis;
			return super.isSubscribed() && connection != null && connection.isOpen();
		}

	}

	/**
	 * A connection by its commands.
	 *
	 * @param redis the commands
	 * @param timeout how long to wait for a reply
	 * @param asking whether each command must be allowed, since a slot is being moved
	 */
	private record Lent(RedisAsyncCommands<byte[], byte[]> redis, Duration timeout,
			boolean asking) implements LockConnection {

		@Override
		public @Nullable Object evalSha(String digest, List<byte[]> keys, List<byte[]> arguments) {
			ask();
			return await(this.redis.evalsha(digest, ScriptOutputType.MULTI, keys.toArray(byte[][]::new),
					arguments.toArray(byte[][]::new)));
		}

		@Override
		public @Nullable Object eval(byte[] script, List<byte[]> keys, List<byte[]> arguments) {
			ask();
			return await(this.redis.eval(script, ScriptOutputType.MULTI, keys.toArray(byte[][]::new),
					arguments.toArray(byte[][]::new)));
		}

		private void ask() {
			if (this.asking) {
				this.redis.asking();
			}
		}

		@Override
		public long awaitReplicas(int replicas, Duration atMost) {
			return await(this.redis.waitForReplication(replicas, atMost.toMillis()));
		}

		private <T> T await(RedisFuture<T> reply) {
			return LettuceFutures.awaitOrCancel(reply, this.timeout.toMillis(), TimeUnit.MILLISECONDS);
		}

	}

}
