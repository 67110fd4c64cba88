package io.holdfast.redis.connection;

import java.util.Objects;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClusterCommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisMovedDataException;
import redis.clients.jedis.exceptions.JedisRedirectionException;
import redis.clients.jedis.executors.CommandExecutor;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.util.IOUtils;

/**
 * Lends connections of Jedis' pools. One goes back only if all that was asked over it has
 * been answered; otherwise, it is thrown away.
 *
 * <p>
 * In a Cluster, a command that a node refuses because another one has the slot is sent to
 * that one. A command that may have been carried out is not sent again; Jedis' own
 * executor does so.
 */
final class JedisExecutor implements CommandExecutor {

	private static final int ANY_SLOT = -1;

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
		int slot = (command.getArguments() instanceof ClusterCommandArguments arguments)
				? arguments.getCommandHashSlot() : ANY_SLOT;
		return ask(slot, (connection, asking) -> {
			if (asking) {
				connection.executeCommand(Protocol.Command.ASKING);
			}
			return connection.executeCommand(command);
		});
	}

	/**
	 * Ask any server.
	 */
	<T extends @Nullable Object> T ask(Question<T> question) {
		return lend(this.servers.getConnection(), false, question);
	}

	/**
	 * Ask the server that has a slot.
	 */
	<T extends @Nullable Object> T ask(int slot, Question<T> question) {
		return (this.servers instanceof ClusterConnectionProvider nodes) ? ask(nodes, slot, question) : ask(question);
	}

	private <T extends @Nullable Object> T ask(ClusterConnectionProvider nodes, int slot, Question<T> question) {
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
			JedisRedirectionException redirection, Question<T> question) {
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
			boolean asking, Question<T> question) {
		try {
			return lend(connection, asking, (lent, same) -> {
				try {
					return question.put(lent, same);
				}
				catch (JedisMovedDataException ex) {
					nodes.renewSlotCache(lent);
					throw ex;
				}
			});
		}
		catch (JedisConnectionException ex) {
			nodes.renewSlotCache();
			throw ex;
		}
	}

	/**
	 * Put a question over a connection. After anything but an answer of Redis, be it an
	 * error that hits this thread, a reply may still be to come on it.
	 */
	private static <T extends @Nullable Object> T lend(Connection connection, boolean asking, Question<T> question) {
		boolean answered = false;
		try {
			T answer = question.put(connection, asking);
			answered = true;
			return answer;
		}
		catch (JedisDataException ex) {
			answered = true;
			throw ex;
		}
		finally {
			if (!answered) {
				connection.setBroken();
			}
			connection.close();
		}
	}

	@Override
	public void close() {
		IOUtils.closeQuietly(this.servers);
	}

	/**
	 * What is asked over a connection.
	 *
	 * @param <T> the answer
	 */
	@FunctionalInterface
	interface Question<T extends @Nullable Object> {

		/**
		 * Put it.
		 * @param asking whether each command must be allowed, since the slot is being
		 * moved to that node
		 */
		T put(Connection connection, boolean asking);

	}

}
