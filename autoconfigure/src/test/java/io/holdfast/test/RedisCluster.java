package io.holdfast.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.util.JedisClusterCRC16;

import static org.awaitility.Awaitility.await;

/**
 * A Redis Cluster of three masters, which share the slots evenly, for a test class; with
 * a replica for each of them, or none.
 */
public final class RedisCluster implements TestServer {

	private static final int MASTERS = 3;

	private static final int SLOTS = 16384;

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private final List<RedisProcess> nodes = new ArrayList<>();

	public RedisCluster(String... options) {
		this(MASTERS, options);
	}

	private RedisCluster(int size, String... options) {
		for (int i = 0; i < size; i++) {
			List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes"));
			all.addAll(List.of(options));
			this.nodes.add(new RedisProcess(List.of(), all));
		}
	}

	public static RedisCluster withReplicas(String... options) {
		return new RedisCluster(2 * MASTERS, options);
	}

	public List<RedisProcess> nodes() {
		return List.copyOf(this.nodes);
	}

	/**
	 * Return the node on which a key is at first.
	 */
	public RedisProcess nodeOf(String key) {
		int slot = JedisClusterCRC16.getSlot(key);
		int index = 0;
		while (slot >= firstSlot(index + 1)) {
			index++;
		}
		return this.nodes.get(index);
	}

	@Override
	public void start() {
		this.nodes.forEach(RedisProcess::start);
		for (int i = 0; i < this.nodes.size(); i++) {
			join(i);
		}
		await().until(() -> this.nodes.stream().allMatch(this::isReady));
		for (int i = MASTERS; i < this.nodes.size(); i++) {
			follow(this.nodes.get(i), this.nodes.get(i - MASTERS));
		}
		await().atMost(LIMIT).until(() -> this.nodes.stream().skip(MASTERS).allMatch(RedisCluster::isLinked));
	}

	private void join(int index) {
		try (Jedis jedis = this.nodes.get(index).connect()) {
			jedis.clusterSetConfigEpoch(index + 1);
			if (index < MASTERS) {
				jedis.clusterAddSlots(IntStream.range(firstSlot(index), firstSlot(index + 1)).toArray());
			}
			if (index > 0) {
				jedis.clusterMeet("127.0.0.1", this.nodes.get(0).port());
			}
		}
	}

	private static void follow(RedisProcess replica, RedisProcess master) {
		try (Jedis jedis = replica.connect(); Jedis followed = master.connect()) {
			jedis.clusterReplicate(followed.clusterMyId());
		}
	}

	private static boolean isLinked(RedisProcess replica) {
		return replica.ask((jedis) -> jedis.info("replication").contains("master_link_status:up"));
	}

	private static int firstSlot(int index) {
		return index * SLOTS / MASTERS;
	}

	private boolean isReady(RedisProcess node) {
		try (Jedis jedis = node.connect()) {
			String info = jedis.clusterInfo();
			return info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:" + SLOTS)
					&& info.contains("cluster_known_nodes:" + this.nodes.size());
		}
	}

	@Override
	public void close() {
		this.nodes.forEach(RedisProcess::close);
	}

}
