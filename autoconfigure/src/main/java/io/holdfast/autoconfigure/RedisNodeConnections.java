package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.LogText;
import io.holdfast.redis.quorum.QuorumNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Connections to nodes, for locks only. Their factories are no beans: an application's
 * own stays the only one.
 */
class RedisNodeConnections implements DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(RedisNodeConnections.class);

	private final List<QuorumNode> nodes = new ArrayList<>();

	private final List<DisposableBean> factories = new ArrayList<>();

	<F extends RedisConnectionFactory & DisposableBean> RedisNodeConnections(List<RedisNode> nodes, Duration timeout,
			RedisNodeConnector<F> connector) {
		try {
			for (RedisNode node : nodes) {
				F factory = connector.connect(node, timeout);
				this.factories.add(factory);
				this.nodes.add(new QuorumNode(node.server(), factory));
			}
		}
		catch (RuntimeException ex) {
			destroy();
			throw ex;
		}
	}

	List<QuorumNode> nodes() {
		return this.nodes;
	}

	/**
	 * Close all that can be closed.
	 */
	@Override
	public void destroy() {
		for (DisposableBean factory : this.factories) {
			try {
				factory.destroy();
			}
			catch (Exception ex) {
				logger.warn("Could not close the connections to a Redis node: {}", LogText.of(ex.getMessage()));
				logger.debug("Why they could not be closed", ex);
			}
		}
	}

}
