package io.holdfast.actuate;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.LockSnapshot;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockWait;
import org.jspecify.annotations.Nullable;

/**
 * What this instance holds and waits for, as it was at one moment. The store is not
 * asked.
 */
final class OwnLocks {

	private final List<HoldId> holdIds;

	private final Collection<LockSnapshot> held;

	private final List<LockWait> waiting;

	private final Map<String, List<LockSnapshot>> heldByKey;

	private final Map<String, List<LockWait>> waitingByKey;

	OwnLocks(HoldfastLockRegistry registry) {
		this.holdIds = registry.operations().holdIds();
		this.held = registry.held();
		this.waiting = registry.operations().waiting();
		this.heldByKey = byKey(this.held, LockSnapshot::keys);
		this.waitingByKey = byKey(this.waiting, LockWait::keys);
	}

	private static <T> Map<String, List<T>> byKey(Collection<T> all, Function<T, List<String>> keys) {
		return all.stream()
			.flatMap((each) -> keys.apply(each).stream().map((key) -> Map.entry(key, each)))
			.collect(Collectors.groupingBy(Map.Entry::getKey, LinkedHashMap::new,
					Collectors.mapping(Map.Entry::getValue, Collectors.toList())));
	}

	/**
	 * Return the keys that are held or waited for.
	 */
	Set<String> keys() {
		Set<String> keys = new LinkedHashSet<>(this.heldByKey.keySet());
		keys.addAll(waitedFor());
		return keys;
	}

	Set<String> waitedFor() {
		return this.waitingByKey.keySet();
	}

	List<LockSnapshot> holds(String key) {
		return this.heldByKey.getOrDefault(key, List.of());
	}

	/**
	 * Return who waits for a key, the longest first.
	 */
	List<LockWait> waits(String key) {
		return this.waitingByKey.getOrDefault(key, List.of());
	}

	/**
	 * Return the token of a key, which is not the hold's first one in a hold of several.
	 */
	@Nullable Long token(LockSnapshot hold, String key) {
		if (key.equals(hold.keys().get(0))) {
			return hold.fencingToken();
		}
		Grant first = new Grant(hold.keys().get(0), hold.fencingToken());
		return this.holdIds.stream()
			.filter((id) -> id.owner().equals(hold.owner()) && id.grants().contains(first))
			.flatMap((id) -> id.grants().stream())
			.filter((grant) -> grant.key().equals(key))
			.map(Grant::token)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return the name of a lock, or {@code null} when it is not known or has none.
	 */
	@Nullable String name(String key) {
		return Stream.concat(holds(key).stream().map(LockSnapshot::name), waits(key).stream().map(LockWait::name))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return the names of the threads that hold or wait, by owner.
	 */
	Map<String, String> threads() {
		Map<String, String> threads = new LinkedHashMap<>();
		this.held.forEach((hold) -> threads.put(hold.owner(), hold.threadName()));
		this.waiting.forEach((wait) -> threads.put(wait.owner(), wait.threadName()));
		return threads;
	}

}
