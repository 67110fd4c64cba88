package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.redis.connection.LockServers.FailedAttempt;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.Pool;

import org.springframework.data.redis.connection.ReturnType;

/**
 * Lends connections to one server. A connection returns to its pool only if every request
 * on it was answered by the master; otherwise it is closed. Idle ones lead to the same
 * server, and are closed as well, as are those that are in use meanwhile once they
 * return: Jedis resolves the name of a server each time it connects.
 */
final class JedisServer {

	// So long after its pause, an attempt that has failed says no more of the next
	private static final long FAILURE_COUNTS = Duration.ofSeconds(10).toNanos();

	private final @Nullable HostAndPort address;

	private final Supplier<@Nullable Pool<Connection>> pool;

	private final int mostIdle;

	private final Refusals refusals = new Refusals();

	// The latest attempt to connect, if it has failed
	private volatile @Nullable FailedAttempt failed;

	private final ReentrantLock reconnecting = new ReentrantLock();

	// Connections return together, but none while those that are idle are closed
	private final ReentrantReadWriteLock returning = new ReentrantReadWriteLock();

	// How often those that were idle have been closed
	private volatile int closings;

	JedisServer(@Nullable HostAndPort address, Supplier<@Nullable Pool<Connection>> pool, int mostIdle) {
		this.address = address;
		this.pool = pool;
		this.mostIdle = mostIdle;
	}

	@Nullable HostAndPort address() {
		return this.address;
	}

	// Borrow a connection. While the latest attempt to connect has failed, callers wait
	// for the pause, then one at a time connects. Others wait for that, but not long
	// where the server hangs. A caller that waited for a failed attempt does not make
	// another.
	Lent borrow(boolean asking, boolean interruptible, Supplier<Connection> connections) {
		FailedAttempt seen = this.failed;
		boolean lent = false;
		try {
			Lent fresh = LockServers.putOffInterrupts(interruptible, () -> {
				this.refusals.beginAsking();
				int closedBefore = this.closings;
				FailedAttempt last = this.failed;
				Connection connection = (last != null && isInDoubt(last)) ? connectAgain(seen, last, connections)
						: connect(connections);
				return new Lent(this, connection, closedBefore, asking);
			});
			lent = true;
			return fresh;
		}
		finally {
			if (!lent) {
				this.refusals.endAsking();
			}
		}
	}

	private boolean isInDoubt(FailedAttempt last) {
		return last.pause() > -FAILURE_COUNTS && !hasIdle();
	}

	private Connection connectAgain(@Nullable FailedAttempt seen, FailedAttempt latest,
			Supplier<Connection> connections) {
		try {
			TimeUnit.NANOSECONDS.sleep(latest.pause());
			if (!this.reconnecting.tryLock(LockServers.CONNECTING_PAUSE.toNanos(), TimeUnit.NANOSECONDS)) {
				throw new JedisConnectionException("Another caller tries to connect for long", latest.cause());
			}
			try {
				FailedAttempt last = this.failed;
				if (last != null && last != seen) {
					throw new JedisConnectionException("Another caller could not connect meanwhile", last.cause());
				}
				if (last != null) {
					Connection connection = connect(connections);
					this.failed = null;
					return connection;
				}
			}
			finally {
				this.reconnecting.unlock();
			}
			return connect(connections);
		}
		catch (InterruptedException ex) {
			throw new JedisConnectionException("Interrupted before a connection was made", ex);
		}
	}

	private Connection connect(Supplier<Connection> connections) {
		long startedAt = System.nanoTime();
		try {
			return connections.get();
		}
		catch (JedisConnectionException | JedisDataException ex) {
			if (!RedisFailures.isInterrupt(ex)) {
				this.failed = new FailedAttempt(ex, startedAt);
			}
			throw ex;
		}
	}

	private boolean hasIdle() {
		Pool<Connection> present = this.pool.get();
		return present != null && present.getNumIdle() > 0;
	}

	void closeIdle() {
		this.returning.writeLock().lock();
		try {
			this.closings++;
			Pool<Connection> present = this.pool.get();
			if (present != null) {
				present.clear();
			}
		}
		finally {
			this.returning.writeLock().unlock();
		}
	}

	private void giveBack(Lent lent) {
		this.returning.readLock().lock();
		try {
			if (lent.closedBefore == this.closings) {
				lent.connection.close();
				return;
			}
		}
		finally {
			this.returning.readLock().unlock();
		}
		discard(lent.connection);
	}

	// Close a connection. A pool that may have idle ones would connect anew before that
	// returns, which takes long where the server hangs.
	private void discard(Connection connection) {
		connection.setBroken();
		Pool<Connection> present = this.pool.get();
		if (present == null || present.getNumWaiters() > 0) {
			connection.close();
			return;
		}
		present.setMaxIdle(0);
		try {
			connection.close();
		}
		finally {
			present.setMaxIdle(this.mostIdle);
		}
	}

	/**
	 * A connection that is lent.
	 *
	 * @param closedBefore how often idle ones had been closed before
	 */
	record Lent(JedisServer server, Connection connection, int closedBefore, boolean asking) implements LockConnection {

		// Send a request over a connection. After anything but an answer of Redis, such
		// as an error that hits this thread, a reply may still be to come on it.
		<T extends @Nullable Object> T ask(Function<LockConnection, T> question) {
			boolean reusable = false;
			try {
				T answer = question.apply(this);
				this.server.refusals.answered();
				reusable = !this.connection.isBroken();
				return answer;
			}
			catch (JedisDataException ex) {
				reusable = !this.server.refusals.leaveAfter(ex);
				if (!reusable) {
					this.server.closeIdle();
				}
				throw ex;
			}
			catch (JedisConnectionException ex) {
				this.server.closeIdle();
				throw ex;
			}
			finally {
				if (reusable) {
					this.server.giveBack(this);
				}
				else {
					this.server.discard(this.connection);
				}
				this.server.refusals.endAsking();
			}
		}

		@Override
		public @Nullable Object evalSha(String digest, ReturnType replies, List<byte[]> keys, List<byte[]> arguments) {
			return allowed().executeCommand(script(new CommandArguments(Command.EVALSHA).add(digest), keys, arguments));
		}

		@Override
		public @Nullable Object eval(byte[] script, ReturnType replies, List<byte[]> keys, List<byte[]> arguments) {
			return allowed().executeCommand(script(new CommandArguments(Command.EVAL).add(script), keys, arguments));
		}

		private static CommandArguments script(CommandArguments script, List<byte[]> keys, List<byte[]> arguments) {
			return script.add(keys.size()).addObjects(keys).addObjects(arguments);
		}

		@Override
		public long awaitReplicas(int replicas, Duration atMost) {
			long confirmed = (Long) this.connection
				.executeCommand(new CommandArguments(Command.WAIT).add(replicas).add(atMost.toMillis()));
			if (confirmed < replicas) {
				this.connection.setBroken();
			}
			return confirmed;
		}

		Connection allowed() {
			if (this.asking) {
				this.connection.executeCommand(Command.ASKING);
			}
			return this.connection;
		}

	}

}
