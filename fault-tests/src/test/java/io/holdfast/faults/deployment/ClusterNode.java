package io.holdfast.faults.deployment;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.test.RedisProcess;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * What a node of a Cluster knows of one.
 *
 * @param flags whether it is a master, and more
 * @param master the master that it follows
 * @param slots ranges of slots that it has
 */
record ClusterNode(List<String> flags, String master, List<String> slots) {

	private static final int SLOTS_FROM = 8;

	/**
	 * Ask a node, which says nothing when it is down.
	 */
	static Stream<ClusterNode> of(RedisProcess node) {
		try (Jedis jedis = node.connect()) {
			return jedis.clusterNodes().lines().map(ClusterNode::parse);
		}
		catch (JedisConnectionException ex) {
			return Stream.empty();
		}
	}

	private static ClusterNode parse(String line) {
		List<String> words = Arrays.asList(line.split(" "));
		return new ClusterNode(List.of(words.get(2).split(",")), words.get(3),
				words.subList(Math.min(SLOTS_FROM, words.size()), words.size()));
	}

	boolean isMyself() {
		return this.flags.contains("myself");
	}

	boolean isMaster() {
		return this.flags.contains("master");
	}

	boolean isReplicaOf(String id) {
		return this.master.equals(id);
	}

	boolean hasSlot(int slot) {
		return this.slots.stream().filter((range) -> !range.startsWith("[")).anyMatch((range) -> {
			String[] ends = range.split("-");
			return slot >= Integer.parseInt(ends[0]) && slot <= Integer.parseInt(ends[ends.length - 1]);
		});
	}

}
