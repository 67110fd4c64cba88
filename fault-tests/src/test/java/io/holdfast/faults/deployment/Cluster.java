package io.holdfast.faults.deployment;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.holdfast.faults.harness.Deployment;
import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.JedisClusterCRC16;

import static org.awaitility.Awaitility.await;

/**
 * A Cluster of three masters, each with a replica.
 */
public final class Cluster implements Deployment {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private final RedisCluster servers = RedisCluster.withReplicas("--cluster-node-timeout", "1500",
			"--enable-debug-command", "yes", "--repl-diskless-sync-delay", "0");

	@Override
	public void start() {
		this.servers.start();
	}

	@Override
	public List<String> properties() {
		String nodes = this.servers.nodes()
			.stream()
			.map((node) -> "127.0.0.1:" + node.port())
			.collect(Collectors.joining(","));
		return List.of("spring.data.redis.cluster.nodes=" + nodes);
	}

	@Override
	public List<RedisProcess> masters() {
		return this.servers.nodes().stream().filter(Cluster::isMaster).toList();
	}

	private static boolean isMaster(RedisProcess node) {
		return ClusterNode.of(node).filter((line) -> line.isMyself() && line.isMaster()).findAny().isPresent();
	}

	/**
	 * Jedis tries to reach a node of a Cluster five times
	 * ({@code spring.data.redis.cluster.max-redirects}) before it gives up.
	 */
	@Override
	public Duration slack() {
		return Duration.ofSeconds(4);
	}

	/**
	 * Return the master that has the slot of a lock.
	 */
	public RedisProcess masterOf(String key) {
		int slot = JedisClusterCRC16.getSlot(key);
		return nodeThat((line) -> line.isMaster() && line.hasSlot(slot));
	}

	/**
	 * On a busy machine, another one may take over unasked: then there is none for a
	 * moment.
	 */
	private RedisProcess nodeThat(Predicate<ClusterNode> is) {
		return await().atMost(LIMIT)
			.until(() -> this.servers.nodes()
				.stream()
				.filter((node) -> ClusterNode.of(node).anyMatch((line) -> line.isMyself() && is.test(line)))
				.findFirst(), Optional::isPresent)
			.orElseThrow();
	}

	/**
	 * Return a replica of a master.
	 */
	public RedisProcess replicaOf(RedisProcess master) {
		String id = idOf(master);
		return nodeThat((line) -> line.isReplicaOf(id));
	}

	/**
	 * Return what nodes call a node.
	 */
	public static String idOf(RedisProcess node) {
		try (Jedis jedis = node.connect()) {
			return jedis.clusterMyId();
		}
	}

	/**
	 * Return whether all nodes say that all slots are there, and each master has a
	 * replica that follows it.
	 */
	public boolean isWell() {
		return this.servers.nodes().stream().allMatch(Cluster::isWell);
	}

	private static boolean isWell(RedisProcess node) {
		try (Jedis jedis = node.connect()) {
			String replication = jedis.info("replication");
			return jedis.clusterInfo().contains("cluster_state:ok")
					&& (replication.contains("master_link_status:up") || replication.contains("state=online"));
		}
		catch (JedisConnectionException ex) {
			return false;
		}
	}

	@Override
	public void close() {
		this.servers.close();
	}

}
