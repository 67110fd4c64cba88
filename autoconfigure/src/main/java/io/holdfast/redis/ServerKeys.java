package io.holdfast.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.holdfast.redis.connection.LockClient;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * For each server that has locks, the name of a key that leads there. No lock has such a
 * name, but access rules for locks include it.
 */
final class ServerKeys {

	private final LockClient redis;

	private final String prefix;

	ServerKeys(LockClient redis, LockKeys keys) {
		this.redis = redis;
		this.prefix = keys.prefix() + "unused:";
	}

	List<byte[]> all() {
		return this.redis.isCluster() ? this.redis.execute(this::ofMasters) : List.of(name(0));
	}

	private List<byte[]> ofMasters(RedisConnection connection) {
		List<byte[]> names = new ArrayList<>();
		for (RedisClusterNode node : ((RedisClusterConnection) connection).clusterCommands().clusterGetNodes()) {
			if (node.isMaster() && !node.getSlotRange().getSlots().isEmpty()) {
				names.add(nameOn(node));
			}
		}
		return names;
	}

	private byte[] nameOn(RedisClusterNode node) {
		return IntStream.iterate(0, (i) -> i + 1)
			.mapToObj(this::name)
			.filter((name) -> node.getSlotRange().contains(ClusterSlotHashUtil.calculateSlot(name)))
			.findFirst()
			.orElseThrow();
	}

	private byte[] name(int number) {
		return LockKeys.bytes(this.prefix + number);
	}

}
