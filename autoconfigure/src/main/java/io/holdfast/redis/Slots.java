package io.holdfast.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Incomplete;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStoreException;
import io.holdfast.redis.connection.LockClient;

/**
 * Splits requests into parts whose keys are in one slot of a Cluster, and joins the
 * results. Without a Cluster, all keys are one part.
 */
final class Slots {

	private final LockClient redis;

	private final LockKeys keys;

	Slots(LockClient redis, LockKeys keys) {
		this.redis = redis;
		this.keys = keys;
	}

	Outcome acquire(Claim claim, Function<Claim, Outcome> inSlot) {
		List<List<String>> groups = bySlot(claim.keys(), Function.identity());
		if (groups.size() == 1) {
			return inSlot.apply(claim);
		}
		List<Grant> granted = new ArrayList<>();
		for (List<String> group : groups) {
			try {
				Outcome outcome = inSlot.apply(claim.on(group));
				if (outcome instanceof Denied denied) {
					return granted.isEmpty() ? denied
							: new Incomplete(claim.granted(List.copyOf(granted)), denied, null);
				}
				granted.addAll(((Granted) outcome).grants());
			}
			catch (LockStoreException ex) {
				if (granted.isEmpty()) {
					throw ex;
				}
				return new Incomplete(claim.granted(List.copyOf(granted)), null, ex);
			}
		}
		return new Granted(claim.granted(inOrder(claim.keys(), granted)));
	}

	private static List<Grant> inOrder(List<String> keys, List<Grant> grants) {
		Map<String, Grant> byKey = grants.stream().collect(Collectors.toMap(Grant::key, Function.identity()));
		return keys.stream().map(byKey::get).toList();
	}

	// A failure of one part does not affect the others
	boolean allSlots(HoldId hold, Predicate<HoldId> inSlot) {
		boolean all = true;
		LockStoreException failure = null;
		for (HoldId part : parts(hold)) {
			try {
				all &= inSlot.test(part);
			}
			catch (LockStoreException ex) {
				failure = ex;
			}
		}
		if (failure != null) {
			throw failure;
		}
		return all;
	}

	private List<HoldId> parts(HoldId hold) {
		List<List<Grant>> groups = bySlot(hold.grants(), Grant::key);
		return (groups.size() == 1) ? List.of(hold) : groups.stream().map(hold::on).toList();
	}

	// All callers get the slots in the same order
	<T> List<List<T>> bySlot(List<T> things, Function<T, String> key) {
		if (things.size() == 1 || !this.redis.isCluster()) {
			return List.of(things);
		}
		TreeMap<Integer, List<T>> groups = new TreeMap<>();
		for (T thing : things) {
			groups.computeIfAbsent(this.keys.slot(key.apply(thing)), (slot) -> new ArrayList<>()).add(thing);
		}
		return List.copyOf(groups.values());
	}

}
