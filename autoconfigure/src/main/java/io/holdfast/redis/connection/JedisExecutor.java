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
import redis.clients.jedis.Protocol;
import redis.clients.jedis.args.Rawable;
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
final class JedisExecutor implements CommandExecutor {

	/**
	 * Stands for all slots.
	 */
	static final int ANY_SLOT = -1;

	private final ConnectionProvider servers;

	private final int mostRedirections;

	JedisExecutor(ConnectionProvider servers, int mostRedirections) {
		this.servers = servers;
		this.mostRedirections = mostRedirections;
	}

	ConnectionProvider servers() {
		return this.servers;
	}

	@Override
	public <T> T executeCommand(CommandObject<T> command) {
		return ask(slot(command.getArguments().getKeys()), (connection) -> connection.execute(command));
	}

	/**
	 * Return the slot of the first key: Redis refuses keys of several slots.
	 */
	private static int slot(List<?> keys) {
		if (keys.isEmpty()) {
			return ANY_SLOT;
		}
		return (keys.get(0) instanceof byte[] key) ? JedisClusterCRC16.getSlot(key)
				: JedisClusterCRC16.getSlot(keys.get(0).toString());
	}

	/**
	 * Ask the server that has a slot.
	 */
	<T extends @Nullable Object> T ask(int slot, Function<? super Lent, T> question) {
		return (this.servers instanceof ClusterConnectionProvider nodes) ? ask(nodes, slot, question) : ask(question);
	}

	private <T extends @Nullable Object> T ask(Function<? super Lent, T> question) {
		try {
			return lend(new Lent(this.servers.getConnection(), false), question);
		}
		catch (JedisException ex) {
			if (leadsAstray(ex)) {
				closeIdle();
			}
			throw ex;
		}
	}

	private static boolean leadsAstray(JedisException failure) {
		return failure instanceof JedisConnectionException || RedisFailures.isNotMaster(failure);
	}

	private void closeIdle() {
		if (this.servers instanceof PooledConnectionProvider one) {
			one.getPool().clear();
		}
		else if (this.servers instanceof SentineledConnectionProvider master) {
			master.getConnectionMap().values().forEach(Pool::clear);
		}
	}

	private <T extends @Nullable Object> T ask(ClusterConnectionProvider nodes, int slot,
			Function<? super Lent, T> question) {
		JedisRedirectionException redirection = null;
		for (int i = 0; i <= this.mostRedirections; i++) {
			try {
				return (redirection != null) ? redirected(nodes, redirection, question)
						: lend(nodes, connect(nodes, slot), false, question);
			}
			catch (JedisRedirectionException ex) {
				redirection = ex;
			}
		}
		throw new JedisClusterOperationException("Too many redirections", redirection);
	}

	private static <T extends @Nullable Object> T redirected(ClusterConnectionProvider nodes,
			JedisRedirectionException redirection, Function<? super Lent, T> question) {
		return lend(nodes, nodes.getConnection(redirection.getTargetNode()),
				redirection instanceof JedisAskDataException, question);
	}

	/**
	 * Connect to the node that has the slot. If that fails, nothing has been sent, and
	 * another node may have taken its place.
	 */
	private static Connection connect(ClusterConnectionProvider nodes, int slot) {
		if (slot == ANY_SLOT) {
			return nodes.getConnection();
		}
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

	private static <T extends @Nullable Object> T lend(ClusterConnectionProvider nodes, Connection connection,
			boolean asking, Function<? super Lent, T> question) {
		try {
			return lend(new Lent(connection, asking), (lent) -> {
				try {
					return question.apply(lent);
				}
				catch (JedisMovedDataException ex) {
					nodes.renewSlotCache(connection);
					throw ex;
				}
			});
		}
		catch (JedisConnectionException ex) {
			nodes.renewSlotCache();
			throw ex;
		}
		catch (JedisDataException ex) {
			if (RedisFailures.isNotMaster(ex)) {
				renewSlots(nodes);
			}
			throw ex;
		}
	}

	/**
	 * Ask any node who has the slots. Jedis would ask the first one each time, which may
	 * be the one that is cut off from the Cluster.
	 */
	private static void renewSlots(ClusterConnectionProvider nodes) {
		try (Connection any = nodes.getConnection()) {
			nodes.renewSlotCache(any);
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
		IOUtils.closeQuietly(this.servers);
	}

	/**
	 * A connection of a pool.
	 *
	 * @param asking whether each command must be allowed, since a slot is being moved
	 */
	record Lent(Connection connection, boolean asking) implements LockConnection {

		@Override
		public @Nullable Object evalSha(String digest, List<byte[]> keys, List<byte[]> arguments) {
			return this.connection
				.executeCommand(command(new CommandArguments(Protocol.Command.EVALSHA).add(digest), keys, arguments));
		}

		@Override
		public @Nullable Object eval(byte[] script, List<byte[]> keys, List<byte[]> arguments) {
			return this.connection
				.executeCommand(command(new CommandArguments(Protocol.Command.EVAL).add(script), keys, arguments));
		}

		private CommandArguments command(CommandArguments script, List<byte[]> keys, List<byte[]> arguments) {
			ask();
			script.add(keys.size());
			for (byte[] key : keys) {
				script.add(new Argument(key));
			}
			for (byte[] argument : arguments) {
				script.add(new Argument(argument));
			}
			return script;
		}

		<T> T execute(CommandObject<T> command) {
			ask();
			return this.connection.executeCommand(command);
		}

		private void ask() {
			if (this.asking) {
				this.connection.executeCommand(Protocol.Command.ASKING);
			}
		}

		@Override
		public long awaitReplicas(int replicas, Duration atMost) {
			CommandArguments arguments = new CommandArguments(Protocol.Command.WAIT).add(replicas)
				.add(atMost.toMillis());
			return (Long) this.connection.executeCommand(arguments);
		}

	}

	/**
	 * An argument that is not copied.
	 */
	private record Argument(byte[] getRaw) implements Rawable {
	}

}
