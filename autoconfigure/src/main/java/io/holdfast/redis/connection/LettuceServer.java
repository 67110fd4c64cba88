package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;
import org.springframework.data.redis.connection.lettuce.LettuceSubscription;

/**
 * A server, by one connection that all callers share, and by some that are lent to one
 * caller at a time. Lettuce does not reconnect: the next request makes another connection
 * in place of one that is lost, silent, or leads to a server that is not the master.
 */
final class LettuceServer implements LockServers, LettuceConnectionProvider {

	private static final int MOST_IDLE = 8;

	private static final CompletableFuture<StatefulRedisConnection<byte[], byte[]>> NONE = CompletableFuture
		.failedFuture(new IllegalStateException("Not connected"));

	private final LettuceSettings settings;

	private final RedisClient client;

	private final RedisURI address;

	private final Set<StatefulConnection<?, ?>> open = ConcurrentHashMap.newKeySet();

	// Callers wait for these. The client completes none of them when its threads end
	private final Set<CompletableFuture<?>> attempts = ConcurrentHashMap.newKeySet();

	private final Deque<StatefulRedisConnection<byte[], byte[]>> idle = new ConcurrentLinkedDeque<>();

	// How often those that were idle have been closed
	private volatile int closings;

	// The connection that all callers share, or the latest attempt to make it
	private volatile CompletableFuture<StatefulRedisConnection<byte[], byte[]>> shared = NONE;

	// The requests for the connection that all callers share, from before they take it
	private final AtomicInteger underWay = new AtomicInteger();

	private final Refusals refusals = new Refusals();

	private volatile long answeredAt = System.nanoTime();

	// The latest attempt to connect, if it has failed
	private volatile @Nullable FailedAttempt failed;

	private volatile boolean ended;

	LettuceServer(LettuceSettings settings, RedisClient client, RedisURI address) {
		this.settings = settings;
		this.client = client;
		this.address = address;
	}

	@Override
	public <T extends @Nullable Object> T ask(byte @Nullable [] key, boolean interruptible,
			Function<LockConnection, T> question) {
		if (key == null) {
			return askAlone(false, interruptible, question);
		}
		this.underWay.incrementAndGet();
		try {
			return askShared(interruptible, question);
		}
		finally {
			this.underWay.decrementAndGet();
		}
	}

	private <T extends @Nullable Object> T askShared(boolean interruptible, Function<LockConnection, T> question) {
		CompletableFuture<StatefulRedisConnection<byte[], byte[]>> attempt = attempt();
		StatefulRedisConnection<byte[], byte[]> connection = await(attempt, interruptible);
		long askedAt = System.nanoTime();
		try {
			T answer = question.apply(lend(connection, false, interruptible));
			this.answeredAt = System.nanoTime();
			return answer;
		}
		catch (RedisCommandTimeoutException ex) {
			if (this.answeredAt - askedAt <= 0) {
				dropAll(attempt);
			}
			throw ex;
		}
		catch (RedisCommandExecutionException ex) {
			this.answeredAt = System.nanoTime();
			if (this.refusals.leaveAfter(ex)) {
				drop(attempt);
				closeIdle();
			}
			throw ex;
		}
		catch (RedisException ex) {
			if (RedisFailures.isClosed(ex)) {
				drop(attempt);
			}
			throw ex;
		}
	}

	// All callers wait for the same attempt to connect. One that waited for a failed
	// attempt does not make another.
	private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> attempt() {
		CompletableFuture<StatefulRedisConnection<byte[], byte[]>> latest = this.shared;
		return isUsable(latest) ? latest : attemptAfter(latest);
	}

	private static boolean isUsable(CompletableFuture<StatefulRedisConnection<byte[], byte[]>> attempt) {
		return !attempt.isDone() || (!attempt.isCompletedExceptionally() && attempt.join().isOpen());
	}

	private synchronized CompletableFuture<StatefulRedisConnection<byte[], byte[]>> attemptAfter(
			CompletableFuture<StatefulRedisConnection<byte[], byte[]>> useless) {
		drop(useless);
		if (this.shared == NONE) { // also if another caller has dropped or left it
			this.shared = connect();
		}
		return this.shared;
	}

	// Lettuce may take a connection for open for a while after it has refused a request
	private synchronized void drop(CompletableFuture<StatefulRedisConnection<byte[], byte[]>> closed) {
		if (this.shared == closed) {
			this.shared = NONE;
			closed.thenAccept(this::releaseAsync);
		}
	}

	private synchronized void dropAll(CompletableFuture<?> useless) {
		if (this.shared == useless) {
			this.shared = NONE;
			closeConnections();
		}
	}

	// A connection to another server that has not answered since may have been lost
	// without a word, as behind a firewall, and so may idle ones here. One in use is
	// kept: its answer may be about to come
	synchronized void dropIdleUnlessAnsweredSince(long time) {
		CompletableFuture<StatefulRedisConnection<byte[], byte[]>> latest = this.shared;
		if (latest.isDone() && this.answeredAt - time < 0) {
			// A request that is not counted yet does not get it any more
			this.shared = NONE;
			if (this.underWay.get() > 0) {
				this.shared = latest;
			}
			else {
				latest.thenAccept(this::releaseAsync);
			}
			closeIdle();
		}
	}

	void leave() {
		end();
		closeConnections();
	}

	// Let no caller wait any more. The client, which is shut down next, closes the
	// connections.
	void end() {
		this.ended = true;
		endAttempts();
	}

	private void endAttempts() {
		this.attempts.forEach((attempt) -> attempt.completeExceptionally(new RedisException("Connection closed")));
	}

	private void closeConnections() {
		this.open.forEach(this::releaseAsync);
	}

	// Ask over a connection of one's own. One on which a request failed is not used
	// again; if it was closed, silent, or leads to another server, neither are those that
	// are idle or in use meanwhile.
	<T extends @Nullable Object> T askAlone(boolean asking, boolean interruptible,
			Function<LockConnection, T> question) {
		LockServers.putOffInterrupts(interruptible, () -> {
			this.refusals.beginAsking();
			return true;
		});
		try {
			return askAlone(this.closings, asking, interruptible, question);
		}
		finally {
			this.refusals.endAsking();
		}
	}

	private <T extends @Nullable Object> T askAlone(int closedBefore, boolean asking, boolean interruptible,
			Function<LockConnection, T> question) {
		StatefulRedisConnection<byte[], byte[]> connection = take(interruptible);
		boolean reusable = false;
		try {
			T answer = question.apply(lend(connection, asking, interruptible));
			this.refusals.answered();
			reusable = connection.isOpen();
			return answer;
		}
		catch (RedisException ex) {
			reusable = ex instanceof RedisCommandExecutionException;
			if (this.refusals.leaveAfter(ex)) {
				reusable = false;
				drop(this.shared);
				closeIdle();
			}
			else if (ex instanceof RedisCommandTimeoutException || RedisFailures.isClosed(ex)) {
				closeIdle();
			}
			throw ex;
		}
		finally {
			if (!reusable || !giveBack(connection, closedBefore)) {
				releaseAsync(connection);
			}
		}
	}

	private synchronized boolean giveBack(StatefulRedisConnection<byte[], byte[]> connection, int closedBefore) {
		return closedBefore == this.closings && this.idle.size() < MOST_IDLE && this.idle.offerFirst(connection);
	}

	private synchronized void closeIdle() {
		this.closings++;
		StatefulRedisConnection<byte[], byte[]> last = this.idle.pollFirst();
		while (last != null) {
			releaseAsync(last);
			last = this.idle.pollFirst();
		}
	}

	private Lent lend(StatefulRedisConnection<byte[], byte[]> connection, boolean asking, boolean interruptible) {
		return new Lent(connection, this.address.getTimeout(), asking, interruptible);
	}

	private StatefulRedisConnection<byte[], byte[]> take(boolean interruptible) {
		StatefulRedisConnection<byte[], byte[]> last = this.idle.pollFirst();
		while (last != null && !last.isOpen()) {
			releaseAsync(last);
			last = this.idle.pollFirst();
		}
		if (last != null) {
			return last;
		}
		if (this.failed != null) {
			// One for all finds out whether it still fails
			await(attempt(), interruptible);
		}
		return awaitOwn(connect(), interruptible);
	}

	// Connect, after the pause if the latest attempt has failed
	private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connect() {
		FailedAttempt last = this.failed;
		long pause = (last != null) ? last.pause() : 0;
		long now = System.nanoTime();
		if (pause <= 0) {
			return attempt(this.client.connectAsync(ByteArrayCodec.INSTANCE, this.address), now);
		}
		CompletableFuture<Void> due = new CompletableFuture<>();
		this.client.getResources().eventExecutorGroup().schedule(() -> due.complete(null), pause, TimeUnit.NANOSECONDS);
		return attempt(due.thenCompose((over) -> this.client.connectAsync(ByteArrayCodec.INSTANCE, this.address)),
				now + pause);
	}

	// An attempt to connect that has not ended in time may never end. A connection that
	// comes later is closed.
	private <C extends StatefulConnection<?, ?>> CompletableFuture<C> attempt(CompletionStage<C> connecting,
			long startsAt) {
		CompletableFuture<C> attempt = new CompletableFuture<>();
		this.attempts.add(attempt);
		connecting.whenComplete((connection, failure) -> {
			if (failure != null) {
				attempt.completeExceptionally(failure);
				return;
			}
			this.open.add(connection);
			if (!attempt.complete(connection) || this.ended) {
				releaseAsync(connection);
			}
		});
		if (this.ended) {
			endAttempts();
		}
		this.settings.limit(attempt, this.client.getResources());
		attempt.whenComplete((connection, failure) -> {
			this.attempts.remove(attempt);
			connected(failure, startsAt);
		});
		return attempt;
	}

	private void connected(@Nullable Throwable cause, long startsAt) {
		if (!(cause instanceof CancellationException)) {
			this.failed = (cause != null) ? new FailedAttempt(cause, startsAt) : null;
		}
	}

	// Wait for a connection to a server and for its first answer: not forever, as the
	// attempt ends
	static <T> T await(CompletableFuture<T> attempt, boolean interruptible) {
		try {
			return interruptible ? attempt.get() : attempt.join();
		}
		catch (InterruptedException ex) {
			throw new RedisConnectionFailureException("Interrupted while connecting", ex);
		}
		catch (ExecutionException | CompletionException ex) {
			throw (ex.getCause() instanceof TimeoutException)
					? new RedisConnectionFailureException("No connection to Redis in time")
					: new RedisConnectionFailureException("Unable to connect to Redis", ex);
		}
	}

	// Wait for a connection that no other caller waits for
	private <C extends StatefulConnection<?, ?>> C awaitOwn(CompletableFuture<C> attempt, boolean interruptible) {
		try {
			return await(attempt, interruptible);
		}
		catch (RedisConnectionFailureException ex) {
			attempt.cancel(false);
			attempt.thenAccept(this::releaseAsync);
			throw ex;
		}
	}

	@Override
	public RedisConnection connection() {
		return new Observed(await(attempt(), true), this, this.address);
	}

	@Override
	public RedisConnection subscriptionConnection() {
		return new Observed(null, this, this.address);
	}

	@Override
	public <C extends StatefulConnection<?, ?>> C getConnection(Class<C> type) {
		return awaitOwn(getConnectionAsync(type), true);
	}

	@Override
	@SuppressWarnings("unchecked")
	public <C extends StatefulConnection<?, ?>> CompletableFuture<C> getConnectionAsync(Class<C> type) {
		return (CompletableFuture<C>) (StatefulRedisPubSubConnection.class.equals(type)
				? attempt(this.client.connectPubSubAsync(ByteArrayCodec.INSTANCE, this.address), System.nanoTime())
				: connect());
	}

	/**
	 * Lettuce warns if a connection is closed twice.
	 */
	@Override
	public CompletableFuture<Void> releaseAsync(StatefulConnection<?, ?> connection) {
		return this.open.remove(connection) ? connection.closeAsync() : CompletableFuture.completedFuture(null);
	}

	@Override
	public void close() {
		end();
		this.settings.shutdown(this.client);
	}

	// A lost connection of Spring Data is still subscribed: this one is not
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

	private record Lent(StatefulRedisConnection<byte[], byte[]> redis, Duration timeout, boolean asking,
			boolean interruptible) implements LockConnection {

		@Override
		public @Nullable Object evalSha(String digest, ReturnType replies, List<byte[]> keys, List<byte[]> arguments) {
			ask();
			return await(this.redis.async()
				.evalsha(digest, ScriptOutputType.valueOf(replies.name()), keys.toArray(byte[][]::new),
						arguments.toArray(byte[][]::new)));
		}

		@Override
		public @Nullable Object eval(byte[] script, ReturnType replies, List<byte[]> keys, List<byte[]> arguments) {
			ask();
			return await(this.redis.async()
				.eval(script, ScriptOutputType.valueOf(replies.name()), keys.toArray(byte[][]::new),
						arguments.toArray(byte[][]::new)));
		}

		private void ask() {
			if (this.asking) {
				this.redis.async().asking();
			}
		}

		@Override
		public long awaitReplicas(int replicas, Duration atMost) {
			long confirmed = await(this.redis.async().waitForReplication(replicas, atMost.toMillis()));
			if (confirmed < replicas) {
				this.redis.closeAsync();
			}
			return confirmed;
		}

		private <T> T await(RedisFuture<T> reply) {
			long limit = this.timeout.toNanos();
			long end = System.nanoTime() + limit;
			return LockServers.putOffInterrupts(this.interruptible, () -> LettuceFutures.awaitOrCancel(reply,
					(limit > 0) ? Math.max(1, end - System.nanoTime()) : 0, TimeUnit.NANOSECONDS));
		}

	}

}
