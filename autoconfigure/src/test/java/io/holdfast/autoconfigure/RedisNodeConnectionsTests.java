package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Whether connections to nodes are closed.
 */
class RedisNodeConnectionsTests {

	private final List<String> closed = new ArrayList<>();

	private RedisNodeConnections connect(String... hosts) {
		List<RedisNode> nodes = RedisNode.parseAll(List.of(hosts).stream().map("redis://"::concat).toList());
		return new RedisNodeConnections(nodes, Duration.ofMillis(50), (RedisNode node, Duration timeout) -> {
			if (node.host().equals("broken")) {
				throw new IllegalStateException("no such node");
			}
			return new Recorded(node.host());
		});
	}

	@Test
	void allAreClosedAlthoughOneFailsTo() {
		RedisNodeConnections connections = connect("one", "failing", "two");
		assertThat(connections.nodes()).hasSize(3);
		connections.destroy();
		assertThat(this.closed).containsExactly("one", "failing", "two");
	}

	@Test
	void thoseBeforeOneThatCannotBeMadeAreClosed() {
		assertThatIllegalStateException().isThrownBy(() -> connect("one", "failing", "two", "broken"))
			.withMessage("no such node");
		assertThat(this.closed).containsExactly("one", "failing", "two");
	}

	private final class Recorded extends JedisConnectionFactory {

		private final String host;

		private Recorded(String host) {
			this.host = host;
		}

		@Override
		public void destroy() {
			RedisNodeConnectionsTests.this.closed.add(this.host);
			if (this.host.equals("failing")) {
				throw new IllegalStateException("cannot be closed");
			}
		}

	}

}
