package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.redis.QuorumNode;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Connections to nodes, for locks only. Their factories are no beans: an application's
 * own stays the only one.
 */
class RedisNodeConnections implements DisposableBean {

	private final List<QuorumNode> nodes = new ArrayList<>();

	private final List<DisposableBean> factories = new ArrayList<>();

	<F extends RedisConnectionFactory & DisposableBean> RedisNodeConnections(List<RedisNode> nodes, Duration timeout,
			RedisNodeConnector<F> connector) {
		for (RedisNode node : nodes) {
			F factory = connector.connect(node, timeout);
			this.factories.add(factory);
			this.nodes.add(new QuorumNode(node.server(), factory));
		}
	}

	List<QuorumNode> nodes() {
		return this.nodes;
	}

	@Override
	public void destroy() throws Exception {
		for (DisposableBean factory : this.factories) {
			factory.destroy();
		}
	}

}
