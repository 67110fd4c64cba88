package io.holdfast.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Sorts what a Cluster keeps in different places. Elsewhere everything is in one place.
 */
public final class Slots {

	private final RedisClient redis;

	private final LockKeys keys;

	/**
	 * Sort what a server keeps.
	 * @param redis the server, or the Cluster
	 * @param keys the names of keys
	 */
	public Slots(RedisClient redis, LockKeys keys) {
		this.redis = redis;
		this.keys = keys;
	}

	boolean isCluster() {
		return this.redis.isCluster();
	}

	/**
	 * Put things together whose keys are in one slot.
	 * @param things what is to be sorted
	 * @param key the key of a lock that a thing belongs to
	 * @param <T> what is sorted
	 * @return the groups, in the order of their slots, which is the same for everybody
	 */
	public <T> List<List<T>> group(List<T> things, Function<T, String> key) {
		return (things.size() == 1 || !isCluster()) ? List.of(things) : List.copyOf(bySlot(things, key).values());
	}

	/**
	 * Put things of a Cluster together whose keys are in one slot.
	 * @return the groups, by slot
	 */
	<T> SortedMap<Integer, List<T>> bySlot(List<T> things, Function<T, String> key) {
		TreeMap<Integer, List<T>> groups = new TreeMap<>();
		for (T thing : things) {
			groups.computeIfAbsent(slot(key.apply(thing)), (slot) -> new ArrayList<>()).add(thing);
		}
		return groups;
	}

	int slot(String key) {
		return ClusterSlotHashUtil.calculateSlot(this.keys.of(key).lock());
	}

}
