package io.holdfast.actuate;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import io.holdfast.LockSnapshot;
import io.holdfast.engine.EngineListener.HeldLock;
import io.holdfast.engine.EngineListener.LockWait;
import io.holdfast.engine.LockOperations;
import io.holdfast.engine.LockStore.HoldId;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of what this instance holds and waits for. The store is not asked. There may
 * be many locks: all are found by key.
 */
final class OwnLocks {

	private final String instance;

	private final Map<String, Map<String, Hold>> holds = new HashMap<>();

	private final Map<String, List<LockWait>> waits = new HashMap<>();

	private final Map<String, String> threads = new HashMap<>();

	OwnLocks(LockOperations operations) {
		this.instance = operations.instanceId();
		// Waits come first, so that a lock that is granted meanwhile is seen at all
		List<LockWait> waiting = operations.waiting();
		operations.heldLocks().forEach(this::add);
		waiting.forEach(this::add);
	}

	private void add(LockWait wait) {
		this.threads.put(wait.owner(), wait.threadName());
		wait.keys().forEach((key) -> this.waits.computeIfAbsent(key, (k) -> new ArrayList<>()).add(wait));
	}

	private void add(HeldLock held) {
		HoldId id = held.id();
		LockSnapshot lock = held.snapshot();
		this.threads.put(lock.owner(), lock.threadName());
		id.grants()
			.forEach((grant) -> this.holds.computeIfAbsent(grant.key(), (key) -> new LinkedHashMap<>())
				.put(lock.owner(), new Hold(lock, grant.token())));
	}

	boolean isHere(OwnerId owner) {
		return owner.instance().equals(this.instance);
	}

	Set<String> held() {
		return this.holds.keySet();
	}

	Set<String> waitedFor() {
		return this.waits.keySet();
	}

	Collection<Hold> holds(String key) {
		return this.holds.getOrDefault(key, Map.of()).values();
	}

	@Nullable Hold hold(String key, String owner) {
		return this.holds.getOrDefault(key, Map.of()).get(owner);
	}

	List<LockWait> waits(String key) {
		return this.waits.getOrDefault(key, List.of());
	}

	@Nullable String name(String key) {
		return Stream
			.concat(holds(key).stream().map((hold) -> hold.lock().name()), waits(key).stream().map(LockWait::name))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	@Nullable String thread(String owner) {
		return this.threads.get(owner);
	}

	record Hold(LockSnapshot lock, long token) {
	}

}
