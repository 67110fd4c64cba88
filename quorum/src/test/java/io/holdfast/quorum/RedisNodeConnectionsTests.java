package io.holdfast.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * For how long connections to nodes wait, and whether they are closed.
 */
class RedisNodeConnectionsTests {

	private static final Duration NODE_TIMEOUT = Duration.ofMillis(50);

	private final List<Duration> timeouts = new ArrayList<>();

	private final List<String> closed = new ArrayList<>();

	private RedisNodeConnections connect(String... hosts) {
		List<RedisNode> nodes = RedisNode.parseAll(List.of(hosts).stream().map("redis://"::concat).toList());
		return new RedisNodeConnections(nodes, NODE_TIMEOUT, (RedisNode node, Duration timeout) -> {
			this.timeouts.add(timeout);
			if (node.host().equals("broken")) {
				throw new IllegalStateException("no such node");
			}
			return new Recorded(node.host());
		});
	}

	/**
	 * Otherwise an answer would be thrown away because the JVM stood still for longer
	 * than callers wait.
	 */
	@Test
	void connectionsWaitForASecondLongerThanCallersDo() {
		connect("one", "two");
		assertThat(this.timeouts).hasSize(2).containsOnly(NODE_TIMEOUT.plusSeconds(1));
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
