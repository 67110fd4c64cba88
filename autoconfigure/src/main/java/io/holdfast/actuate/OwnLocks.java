package io.holdfast.actuate;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.LockSnapshot;
import io.holdfast.engine.EngineListener.HeldLock;
import io.holdfast.engine.EngineListener.LockWait;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.store.LockStore.Grant;
import io.holdfast.engine.store.LockStore.HoldId;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of what this instance holds and waits for. The store is not asked. There may
 * be many locks: all are found by key.
 */
final class OwnLocks {

	private final Map<String, String> threads = new HashMap<>();

	private final Map<String, Map<String, LockSnapshot>> heldByKey = new HashMap<>();

	private final Map<String, List<LockWait>> waitingByKey;

	private final Map<Grantee, Long> tokens = new HashMap<>();

	private final String instance;

	OwnLocks(HoldfastLockRegistry registry) {
		this.instance = registry.status().instanceId();
		// Waits come first, so that a lock that is granted meanwhile is seen at all
		List<LockWait> waiting = registry.operations().waiting();
		List<HoldId> holdIds = registry.operations().heldLocks().stream().<HoldId>map(HeldLock::id).toList();
		Collection<LockSnapshot> held = registry.held();
		holdIds.forEach(this::noteTokens);
		held.forEach((hold) -> hold.keys().forEach((key) -> holds(key).put(hold.owner(), hold)));
		held.forEach((hold) -> this.threads.put(hold.owner(), hold.threadName()));
		waiting.forEach((wait) -> this.threads.put(wait.owner(), wait.threadName()));
		this.waitingByKey = waiting.stream()
			.flatMap((wait) -> wait.keys().stream().map((key) -> Map.entry(key, wait)))
			.collect(Collectors.groupingBy(Map.Entry::getKey,
					Collectors.mapping(Map.Entry::getValue, Collectors.toList())));
	}

	String instance() {
		return this.instance;
	}

	private Map<String, LockSnapshot> holds(String key) {
		return this.heldByKey.computeIfAbsent(key, (k) -> new LinkedHashMap<>());
	}

	private void noteTokens(HoldId hold) {
		long first = hold.grants().get(0).token();
		for (Grant grant : hold.grants()) {
			this.tokens.put(new Grantee(grant.key(), hold.owner(), first), grant.token());
		}
	}

	/**
	 * Return the keys that are held or waited for.
	 */
	SortedSet<String> keys() {
		SortedSet<String> keys = new TreeSet<>(this.heldByKey.keySet());
		keys.addAll(waitedFor());
		return keys;
	}

	Set<String> waitedFor() {
		return this.waitingByKey.keySet();
	}

	boolean isWaitedFor(String key) {
		return this.waitingByKey.containsKey(key);
	}

	Collection<LockSnapshot> holdsOf(String key) {
		return this.heldByKey.getOrDefault(key, Map.of()).values();
	}

	/**
	 * Return an owner's hold of a key, or {@code null} if there is none.
	 */
	@Nullable LockSnapshot hold(String key, String owner) {
		return this.heldByKey.getOrDefault(key, Map.of()).get(owner);
	}

	/**
	 * Return who waits for a key, the longest first.
	 */
	List<LockWait> waits(String key) {
		return this.waitingByKey.getOrDefault(key, List.of());
	}

	/**
	 * Return the token of a key, which is not always the hold's first one.
	 */
	@Nullable Long token(LockSnapshot hold, String key) {
		return key.equals(hold.keys().get(0)) ? Long.valueOf(hold.fencingToken())
				: this.tokens.get(new Grantee(key, hold.owner(), hold.fencingToken()));
	}

	/**
	 * Return the name of a lock, or {@code null} if it is unknown or has none.
	 */
	@Nullable String name(String key) {
		return Stream.concat(holdsOf(key).stream().map(LockSnapshot::name), waits(key).stream().map(LockWait::name))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return the name of the thread that asked for an owner, or {@code null} if it is not
	 * one of this instance.
	 */
	@Nullable String thread(String owner) {
		return this.threads.get(owner);
	}

	/**
	 * An owner to which a key was granted.
	 *
	 * @param first the token of the first key of the same hold
	 */
	private record Grantee(String key, String owner, long first) {
	}

}
