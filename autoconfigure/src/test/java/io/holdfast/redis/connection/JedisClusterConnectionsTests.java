package io.holdfast.redis.connection;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.test.Connections;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.util.JedisClusterCRC16;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of commands that a node of a Cluster does not carry out, or may have.
 */
@Tag("any-jdk")
@Tag("slow")
class JedisClusterConnectionsTests {

	@RegisterExtension
	static final RedisCluster cluster = new RedisCluster();

	private final JedisConnectionFactory application = Connections.jedisCluster(cluster);

	private final JedisLockConnectionFactory factory = JedisLockConnectionFactory.like(this.application, 8);

	@AfterEach
	void close() {
		this.factory.destroy();
		this.application.destroy();
	}

	private long increment(String key) {
		try (RedisConnection connection = this.factory.getConnection()) {
			return connection.stringCommands().incr(key.getBytes(UTF_8));
		}
	}

	private static RedisProcess otherThan(RedisProcess node) {
		return cluster.nodes().stream().filter((other) -> other != node).findFirst().orElseThrow();
	}

	private static String id(RedisProcess node) {
		try (Jedis jedis = node.connect()) {
			return jedis.clusterMyId();
		}
	}

	@Test
	void aSlotThatIsBeingMovedIsFollowed() {
		int slot = JedisClusterCRC16.getSlot("moving");
		RedisProcess source = cluster.nodeOf("moving");
		RedisProcess target = otherThan(source);
		try (Jedis from = source.connect(); Jedis to = target.connect()) {
			to.clusterSetSlotImporting(slot, id(source));
			from.clusterSetSlotMigrating(slot, id(target));
			assertThat(increment("moving")).isEqualTo(1);
			to.sendCommand(Protocol.Command.ASKING);
			assertThat(to.get("moving")).isEqualTo("1");
			from.clusterSetSlotStable(slot);
			to.clusterSetSlotStable(slot);
		}
	}

	@Test
	void aCommandThatMayHaveBeenCarriedOutIsNotSentAgain() {
		RedisProcess node = cluster.nodeOf("once");
		assertThat(increment("once")).isEqualTo(1);
		node.freeze();
		CompletableFuture<Long> command = Threads.start(() -> increment("once"));
		assertThat(node.answersWithin(1300)).isFalse();
		node.unfreeze();
		assertThatException().isThrownBy(() -> Threads.join(command)).withStackTraceContaining("Read timed out");
		try (Jedis jedis = node.connect()) {
			await().until(() -> !"1".equals(jedis.get("once")));
			assertThat(jedis.get("once")).isEqualTo("2");
		}
		assertThat(increment("once")).isEqualTo(3);
	}

	@Test
	void anInterruptWhileANodeIsDeadIsNotLostToAnother() {
		HostAndPort alive = new HostAndPort("127.0.0.1", cluster.nodes().get(0).port());
		HostAndPort dead = new HostAndPort("127.0.0.1", 1);
		AtomicInteger asked = new AtomicInteger();
		RedisClusterConfiguration servers = new RedisClusterConfiguration();
		servers.setMaxRedirects(1);
		try (JedisServers executor = new JedisServers(
				JedisSettings.of(servers, JedisClientConfiguration.defaultConfiguration()),
				new ClusterConnectionProvider(Set.of(alive), DefaultJedisClientConfig.builder().build()) {
					@Override
					public HostAndPort getNode(int slot) {
						return (asked.incrementAndGet() > 3) ? alive : dead;
					}

					@Override
					public Map<String, ConnectionPool> getNodes() {
						Map<String, ConnectionPool> nodes = new HashMap<>(super.getNodes());
						nodes.put(dead.toString(), null);
						return nodes;
					}
				}, 8)) {
			assertThatExceptionOfType(JedisConnectionException.class)
				.isThrownBy(() -> executor.ask("k".getBytes(UTF_8), true, (lent) -> true));
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(JedisConnectionException.class)
				.isThrownBy(() -> executor.ask("k".getBytes(UTF_8), true, (lent) -> true))
				.withRootCauseInstanceOf(InterruptedException.class);
		}
		finally {
			Thread.interrupted();
		}
	}

}
