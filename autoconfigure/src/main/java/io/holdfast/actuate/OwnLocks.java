package io.holdfast.actuate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.holdfast.engine.EngineListener.HeldLock;
import io.holdfast.engine.EngineListener.LockWait;
import io.holdfast.engine.LockOperations;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

final class OwnLocks {

	private final Map<String, List<HeldLock>> holds = new HashMap<>();

	private final Map<String, List<LockWait>> waits = new HashMap<>();

	private final Map<String, String> threads = new HashMap<>();

	OwnLocks(LockOperations operations) {
		// Waits come first, so that a lock that is granted meanwhile is seen at all
		operations.waiting().forEach((wait) -> {
			this.threads.put(wait.owner(), wait.threadName());
			wait.keys().forEach((key) -> this.waits.computeIfAbsent(key, (k) -> new ArrayList<>()).add(wait));
		});
		operations.heldLocks().forEach((hold) -> {
			this.threads.put(hold.snapshot().owner(), hold.snapshot().threadName());
			hold.id().keys().forEach((key) -> this.holds.computeIfAbsent(key, (k) -> new ArrayList<>()).add(hold));
		});
	}

	Set<String> keys() {
		Set<String> keys = new TreeSet<>(this.holds.keySet());
		keys.addAll(this.waits.keySet());
		return keys;
	}

	List<LockWait> waits(String key) {
		return this.waits.getOrDefault(key, List.of());
	}

	@Nullable HeldLock hold(String key, String owner) {
		return this.holds.getOrDefault(key, List.of())
			.stream()
			.filter((hold) -> hold.snapshot().owner().equals(owner))
			.findFirst()
			.orElse(null);
	}

	@Nullable String name(String key) {
		List<HeldLock> held = this.holds.getOrDefault(key, List.of());
		return !held.isEmpty() ? held.get(0).snapshot().name()
				: waits(key).stream().findFirst().map(LockWait::name).orElse(null);
	}

	@Nullable String thread(String owner) {
		return this.threads.get(owner);
	}

	// As the store would have it
	KeyState state(String key) {
		List<HeldLock> held = this.holds.getOrDefault(key, List.of());
		List<Holder> holders = held.stream().map((hold) -> holder(hold, key)).toList();
		return new KeyState(key, held.isEmpty() ? null : held.get(0).mode(), 0, holders, holders.size(), List.of(), 0,
				null);
	}

	private static Holder holder(HeldLock hold, String key) {
		long token = hold.id()
			.grants()
			.stream()
			.filter((grant) -> grant.key().equals(key))
			.mapToLong(Grant::token)
			.sum();
		return new Holder(hold.snapshot().owner(), false, hold.snapshot().holdCount(), token,
				hold.snapshot().remainingLease());
	}

}
