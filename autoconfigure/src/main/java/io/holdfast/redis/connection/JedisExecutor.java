package io.holdfast.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;
import redis.clients.jedis.exceptions.JedisRedirectionException;
import redis.clients.jedis.executors.CommandExecutor;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.PooledConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;
import redis.clients.jedis.util.IOUtils;
import redis.clients.jedis.util.JedisClusterCRC16;
import redis.clients.jedis.util.Pool;

/**
 * Lends connections of Jedis' pools. A connection returns to its pool only if every
 * request on it was answered by the master; otherwise it is closed. Idle ones lead to the
 * same server, and are closed as well: Jedis resolves the name of a server each time it
 * connects.
 *
 * <p>
 * In a Cluster, a command that a node redirects is sent to the named node. A command that
 * may have been carried out is never repeated, unlike with Jedis' own executor.
 */
record JedisExecutor(ConnectionProvider connections, int mostRedirections) implements CommandExecutor {

	/**
	 * Redis refuses keys of several slots.
	 */
	@Override
	public <T> T executeCommand(CommandObject<T> command) {
		List<Object> keys = command.getArguments().getKeys();
		return ask(keys.isEmpty() ? null : keys.get(0), true,
				(connection) -> connection.allowed().executeCommand(command));
	}

	/**
	 * Ask the server that has a key. An interrupt may end the wait for a connection.
	 */
	<T extends @Nullable Object> T ask(@Nullable Object key, boolean interruptible,
			Function<? super Lent, T> question) {
		if (this.connections instanceof ClusterConnectionProvider nodes) {
			return ask(nodes, key, interruptible, question);
		}
		try {
			Connection connection = LockServers.putOffInterrupts(interruptible, this.connections::getConnection);
			return lend(new Lent(connection, false), question);
		}
		catch (JedisException ex) {
			if (ex instanceof JedisConnectionException || RedisFailures.isNotMaster(ex)) {
				closeIdle();
			}
			throw ex;
		}
	}

	private void closeIdle() {
		if (this.connections instanceof PooledConnectionProvider one) {
			one.getPool().clear();
		}
		else if (this.connections instanceof SentineledConnectionProvider master) {
			master.getConnectionMap().values().forEach(Pool::clear);
		}
	}

	private <T extends @Nullable Object> T ask(ClusterConnectionProvider nodes, @Nullable Object key,
			boolean interruptible, Function<? super Lent, T> question) {
		JedisRedirectionException redirection = null;
		for (int i = 0; i <= this.mostRedirections; i++) {
			HostAndPort target = (redirection != null) ? redirection.getTargetNode() : null;
			Connection connection = LockServers.putOffInterrupts(interruptible,
					() -> (target != null) ? nodes.getConnection(target) : connect(nodes, key));
			try {
				return lend(new Lent(connection, redirection instanceof JedisAskDataException), question);
			}
			catch (JedisRedirectionException ex) {
				if (ex instanceof JedisMovedDataException) {
					renewSlots(nodes, ex.getTargetNode());
				}
				redirection = ex;
			}
			catch (JedisConnectionException ex) {
				if (RedisFailures.isClosed(ex)) {
					nodes.getNodes().values().forEach(Pool::clear);
				}
				nodes.renewSlotCache();
				throw ex;
			}
			catch (JedisDataException ex) {
				if (RedisFailures.isNotMaster(ex)) {
					renewSlots(nodes, null);
				}
				throw ex;
			}
		}
		throw new JedisClusterOperationException("Too many redirections", redirection);
	}

	/**
	 * Connect to the node that has the key. If that fails, nothing has been sent, and
	 * another node may have taken its place.
	 */
	private static Connection connect(ClusterConnectionProvider nodes, @Nullable Object key) {
		if (key == null) {
			return nodes.getConnection();
		}
		int slot = (key instanceof byte[] bytes) ? JedisClusterCRC16.getSlot(bytes)
				: JedisClusterCRC16.getSlot(key.toString());
		HostAndPort node = nodes.getNode(slot);
		try {
			return nodes.getConnectionFromSlot(slot);
		}
		catch (JedisConnectionException ex) {
			nodes.renewSlotCache();
			if (Objects.equals(node, nodes.getNode(slot))) {
				throw ex;
			}
			return nodes.getConnectionFromSlot(slot);
		}
	}

	/**
	 * Ask a node who has the slots: one that knows, or any. Jedis would ask the first one
	 * each time, which may be the one that is cut off from the Cluster.
	 */
	private static void renewSlots(ClusterConnectionProvider nodes, @Nullable HostAndPort knows) {
		try {
			Connection any = LockServers.putOffInterrupts(false, () -> nodes.getConnection(knows));
			lend(new Lent(any, false), (node) -> {
				nodes.renewSlotCache(node.connection());
				return true;
			});
		}
		catch (JedisException ex) {
			nodes.renewSlotCache();
		}
	}

	/**
	 * Send a request over a connection. After anything but an answer of Redis, such as an
	 * error that hits this thread, a reply may still be to come on it.
	 */
	private static <T extends @Nullable Object> T lend(Lent lent, Function<? super Lent, T> question) {
		boolean reusable = false;
		try {
			T answer = question.apply(lent);
			reusable = true;
			return answer;
		}
		catch (JedisDataException ex) {
			reusable = !RedisFailures.isNotMaster(ex);
			throw ex;
		}
		finally {
			if (!reusable) {
				lent.connection().setBroken();
			}
			lent.connection().close();
		}
	}

	@Override
	public void close() {
		IOUtils.closeQuietly(this.connections);
	}

	record Lent(Connection connection, boolean asking) implements LockConnection {

		@Override
		public @Nullable Object evalSha(String digest, List<byte[]> keys, List<byte[]> arguments) {
			return allowed().executeCommand(script(new CommandArguments(Command.EVALSHA).add(digest), keys, arguments));
		}

		@Override
		public @Nullable Object eval(byte[] script, List<byte[]> keys, List<byte[]> arguments) {
			return allowed().executeCommand(script(new CommandArguments(Command.EVAL).add(script), keys, arguments));
		}

		private static CommandArguments script(CommandArguments script, List<byte[]> keys, List<byte[]> arguments) {
			return script.add(keys.size()).addObjects(keys).addObjects(arguments);
		}

		@Override
		public long awaitReplicas(int replicas, Duration atMost) {
			return (Long) this.connection
				.executeCommand(new CommandArguments(Command.WAIT).add(replicas).add(atMost.toMillis()));
		}

		private Connection allowed() {
			if (this.asking) {
				this.connection.executeCommand(Command.ASKING);
			}
			return this.connection;
		}

	}

}
