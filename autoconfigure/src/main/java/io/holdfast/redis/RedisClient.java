package io.holdfast.redis;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.engine.store.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.PoolException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Asks one Redis, over a connection for each question.
 *
 * <p>
 * Connections come straight from the factory, never from a template: one that is bound to
 * a running transaction would only queue the scripts.
 */
public final class RedisClient implements AutoCloseable {

	/**
	 * How many calls deep the stack must have room for.
	 */
	private static final int CALLS = 64;

	private final RedisConnectionFactory connections;

	private final @Nullable LockConnectionFactory own;

	private final @Nullable Semaphore turns;

	private volatile @Nullable Boolean cluster;

	/**
	 * Create a client.
	 * @param connections where connections come from
	 */
	public RedisClient(RedisConnectionFactory connections) {
		this.connections = connections;
		this.own = (connections instanceof LockConnectionFactory factory) ? factory : null;
		this.turns = (this.own != null && this.own.mostForOthers() > 0) ? new Semaphore(this.own.mostForOthers())
				: null;
		this.cluster = (this.own != null) ? this.own.isCluster() : null;
	}

	/**
	 * Return whether it is a Cluster. Whoever renews wants to know, and does not wait for
	 * a turn.
	 */
	boolean isCluster() {
		if (this.cluster == null) {
			answer(null, () -> over((connection) -> true));
		}
		return isKnownAsCluster();
	}

	/**
	 * Return whether it is known to be a Cluster, from earlier questions.
	 */
	boolean isKnownAsCluster() {
		return Boolean.TRUE.equals(this.cluster);
	}

	/**
	 * Run a script about what is held.
	 */
	<T extends @Nullable Object> T run(String key, LockScript<T> script, ScriptCall call) {
		return answer(key, () -> run(script, call));
	}

	/**
	 * Run any other script: for a lock, or on behalf of an operator.
	 * @param key the lock that it is about, or {@code null}
	 * @param script the script
	 * @param call its keys and arguments
	 * @param <T> what its reply means
	 * @return what its reply means
	 * @throws LockStoreException when there is none
	 */
	public <T extends @Nullable Object> T runInTurn(@Nullable String key, LockScript<T> script, ScriptCall call) {
		return answer(key, () -> inTurn(() -> run(script, call)));
	}

	private <T extends @Nullable Object> T run(LockScript<T> script, ScriptCall call) {
		return (this.own != null) ? this.own.ask(call.firstKey(), (connection) -> script.run(connection, call))
				: over((connection) -> script.run(new SpringConnection(connection), call));
	}

	/**
	 * Ask for a lock over a connection that nobody else uses meanwhile.
	 */
	<T extends @Nullable Object> T askAlone(@Nullable String key, Function<LockConnection, T> question) {
		return answer(key, () -> inTurn(() -> (this.own != null) ? this.own.askAlone(question)
				: over((connection) -> question.apply(new SpringConnection(connection)))));
	}

	/**
	 * Ask Redis anything else.
	 * @param question what to do with a connection
	 * @param <T> what the answer is
	 * @return the answer
	 * @throws LockStoreException when there is none
	 */
	public <T extends @Nullable Object> T askInTurn(Function<RedisConnection, T> question) {
		return answer(null, () -> inTurn(() -> over(question)));
	}

	/**
	 * Note what kind of Redis it is by the way.
	 */
	private <T extends @Nullable Object> T over(Function<RedisConnection, T> question) {
		try (RedisConnection connection = this.connections.getConnection()) {
			if (this.cluster == null) {
				this.cluster = connection instanceof RedisClusterConnection;
			}
			return question.apply(connection);
		}
	}

	/**
	 * Let few have a connection at one time, so that some of a pool are left.
	 */
	private <T extends @Nullable Object> T inTurn(Supplier<T> question) {
		if (this.turns == null || this.own == null) {
			return question.get();
		}
		awaitTurn(this.turns, this.own);
		try {
			return question.get();
		}
		finally {
			this.turns.release();
		}
	}

	private static void awaitTurn(Semaphore turns, LockConnectionFactory own) {
		long millis = own.longestWait().toMillis();
		try {
			if (!turns.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
				throw new PoolException(
						"None of the %d connections to get locks with was free for %d ms (holdfast.redis.pool.max-active)"
							.formatted(own.mostForOthers(), millis));
			}
		}
		catch (InterruptedException ex) {
			throw new RedisConnectionFailureException("Interrupted while waiting for a connection", ex);
		}
	}

	/**
	 * Ask Redis. An interrupt that came before is put off until after it, since Lettuce
	 * would refuse to send anything; one that comes meanwhile is not forgotten, as the
	 * connection pool does.
	 */
	private static <T extends @Nullable Object> T answer(@Nullable String key, Supplier<T> question) {
		requireStack(CALLS);
		boolean interrupted = Thread.interrupted();
		try {
			return question.get();
		}
		catch (LockStoreException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			interrupted |= RedisFailures.isInterrupt(ex);
			throw RedisFailures.translate(key, ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Where the stack ends, have it end here: once a connection is taken, there must be
	 * room to give it back.
	 */
	private static int requireStack(int calls) {
		return (calls > 0) ? requireStack(calls - 1) + 1 : 0;
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

}
