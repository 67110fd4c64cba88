package io.holdfast.redis;

import java.util.Objects;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClusterCommandArguments;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisMovedDataException;
import redis.clients.jedis.exceptions.JedisRedirectionException;
import redis.clients.jedis.executors.CommandExecutor;
import redis.clients.jedis.providers.ClusterConnectionProvider;

/**
 * Sends commands to the nodes of a Cluster. A command that a node refuses, because
 * another one has the slot, is sent to that one. A command that may have been carried out
 * is not sent again; Jedis' own executor does so.
 */
final class JedisClusterExecutor implements CommandExecutor {

	private final ClusterConnectionProvider nodes;

	private final int mostRedirections;

	JedisClusterExecutor(ClusterConnectionProvider nodes, int mostRedirections) {
		this.nodes = nodes;
		this.mostRedirections = mostRedirections;
	}

	@Override
	public <T> T executeCommand(CommandObject<T> command) {
		JedisRedirectionException redirection = null;
		for (int i = 0; i <= this.mostRedirections; i++) {
			try (Connection connection = connect(command.getArguments(), redirection)) {
				return execute(command, connection, redirection instanceof JedisAskDataException);
			}
			catch (JedisRedirectionException ex) {
				redirection = ex;
			}
		}
		throw new JedisClusterOperationException("Too many redirections", redirection);
	}

	private Connection connect(CommandArguments command, @Nullable JedisRedirectionException redirection) {
		return (redirection != null) ? this.nodes.getConnection(redirection.getTargetNode()) : connect(command);
	}

	/**
	 * Connect to the node that has the slot. If that fails, nothing has been sent, and
	 * another node may have taken its place.
	 */
	private Connection connect(CommandArguments command) {
		int slot = ((ClusterCommandArguments) command).getCommandHashSlot();
		HostAndPort node = this.nodes.getNode(slot);
		try {
			return this.nodes.getConnection(command);
		}
		catch (JedisConnectionException ex) {
			this.nodes.renewSlotCache();
			if (Objects.equals(node, this.nodes.getNode(slot))) {
				throw ex;
			}
			return this.nodes.getConnection(command);
		}
	}

	private <T> T execute(CommandObject<T> command, Connection connection, boolean asking) {
		try {
			if (asking) {
				connection.executeCommand(Protocol.Command.ASKING);
			}
			return connection.executeCommand(command);
		}
		catch (JedisMovedDataException ex) {
			this.nodes.renewSlotCache(connection);
			throw ex;
		}
		catch (JedisConnectionException ex) {
			this.nodes.renewSlotCache();
			throw ex;
		}
	}

	@Override
	public void close() {
		this.nodes.close();
	}

}
