package io.holdfast.faults;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.holdfast.test.RedisCluster;
import io.holdfast.test.RedisProcess;
import org.awaitility.core.ConditionTimeoutException;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.MigrateParams;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * A Cluster of three masters, each with a replica.
 */
final class Cluster implements Deployment {

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
		return this.servers.nodes().stream().filter((node) -> replication(node).contains("role:master")).toList();
	}

	@Override
	public RedisProcess server(int index) {
		return masterOf("hot");
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
	 * Return what a node says of its replication; nothing when it is down.
	 */
	private static String replication(RedisProcess node) {
		try (Jedis jedis = node.connect()) {
			return jedis.info("replication");
		}
		catch (JedisException ex) {
			return "";
		}
	}

	RedisProcess masterOf(String key) {
		return nodeThat((node) -> {
			try (Jedis jedis = node.connect()) {
				jedis.exists(key);
				return true;
			}
			catch (JedisAskDataException ex) {
				return true;
			}
			catch (JedisException ex) {
				return false;
			}
		});
	}

	/**
	 * On a busy machine, another one may take over unasked: then there is none for a
	 * moment.
	 */
	private RedisProcess nodeThat(Predicate<RedisProcess> is) {
		return Bench.patiently()
			.until(() -> this.servers.nodes().stream().filter(is).findFirst(), Optional::isPresent)
			.orElseThrow();
	}

	private RedisProcess replicaOf(RedisProcess master) {
		String itsPort = "master_port:" + master.port() + "\r";
		return nodeThat((node) -> replication(node).contains(itsPort));
	}

	/**
	 * All nodes say that all slots are there, and each master has a replica that follows
	 * it.
	 */
	@Override
	public void awaitWell() {
		Bench.patiently().until(() -> this.servers.nodes().stream().allMatch(Cluster::isWell));
	}

	private static boolean isWell(RedisProcess node) {
		String replication = replication(node);
		if (!replication.contains("master_link_status:up") && !replication.contains("state=online")) {
			return false;
		}
		return node.ask((jedis) -> jedis.clusterInfo().contains("cluster_state:ok"));
	}

	void killMaster(RedisProcess master) {
		RedisProcess replica = replicaOf(master);
		master.kill();
		Bench.patiently().until(() -> masters().contains(replica));
		master.start();
	}

	/**
	 * An operator asks for its replica to take its place. On a busy machine nodes may
	 * forget that they were asked: after five seconds.
	 */
	void askForFailover(RedisProcess master) {
		RedisProcess replica = replicaOf(master);
		Bench.patiently().until(() -> {
			try (Jedis jedis = replica.connect()) {
				jedis.clusterFailover();
				Bench.patiently().atMost(Duration.ofSeconds(6)).until(() -> masters().contains(replica));
				return true;
			}
			catch (ConditionTimeoutException ex) {
				return false;
			}
		});
	}

	/**
	 * The slot moves to another master, with the lock in it, while it is in use, as by
	 * {@code redis-cli --cluster reshard}.
	 * @param random how long it stays between the two masters, key by key
	 */
	void moveSlot(String key, RedisProcess from, Random random) {
		List<RedisProcess> others = masters().stream().filter((master) -> master != from).toList();
		RedisProcess to = others.get(random.nextInt(others.size()));
		int slot = JedisClusterCRC16.getSlot(key);
		try (Jedis giving = from.connect(); Jedis taking = to.connect()) {
			taking.clusterSetSlotImporting(slot, giving.clusterMyId());
			giving.clusterSetSlotMigrating(slot, taking.clusterMyId());
			for (List<String> keys = next(giving, slot); !keys.isEmpty(); keys = next(giving, slot)) {
				giving.migrate("127.0.0.1", to.port(), 1000, MigrateParams.migrateParams().replace(), keys.get(0));
				Fault.last(Fault.between(random, Duration.ZERO, Duration.ofMillis(120)));
			}
			taking.clusterSetSlotNode(slot, taking.clusterMyId());
			giving.clusterSetSlotNode(slot, taking.clusterMyId());
		}
	}

	private static List<String> next(Jedis giving, int slot) {
		return giving.clusterGetKeysInSlot(slot, 1);
	}

	@Override
	public void close() {
		this.servers.close();
	}

}
