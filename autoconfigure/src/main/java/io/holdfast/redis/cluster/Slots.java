package io.holdfast.redis.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToIntFunction;

import io.holdfast.redis.connection.LockClient;

/**
 * Sorts what a Cluster keeps in different places. Elsewhere everything is in one place.
 */
public final class Slots {

	private final LockClient redis;

	private final ToIntFunction<String> slotOf;

	/**
	 * Sort what a server keeps.
	 * @param redis the server, or the Cluster
	 * @param slotOf the slot of a lock in a Cluster, by its key
	 */
	public Slots(LockClient redis, ToIntFunction<String> slotOf) {
		this.redis = redis;
		this.slotOf = slotOf;
	}

	boolean isCluster() {
		return this.redis.isCluster();
	}

	/**
	 * Put things together whose keys are in one slot.
	 * @param things what is to be sorted
	 * @param key the key of a lock that a thing belongs to
	 * @param <T> what is sorted
	 * @return the groups, in the order of their slots, which is the same for all callers
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
			groups.computeIfAbsent(slotOf(key.apply(thing)), (slot) -> new ArrayList<>()).add(thing);
		}
		return groups;
	}

	/**
	 * Return the slot of a lock in a Cluster.
	 * @param key the name of the lock
	 * @return the number of the slot
	 */
	public int slotOf(String key) {
		return this.slotOf.applyAsInt(key);
	}

}
