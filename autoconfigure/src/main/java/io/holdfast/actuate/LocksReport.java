package io.holdfast.actuate;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.StoreView;
import io.holdfast.engine.StoreView.HeldKeys;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

/**
 * Finds out about locks, in this instance's memory or in the store.
 */
final class LocksReport {

	private final HoldfastLockRegistry registry;

	private final InstanceDetails details;

	private final String instanceId;

	LocksReport(HoldfastLockRegistry registry, InstanceDetails details) {
		this.registry = registry;
		this.details = details;
		this.instanceId = registry.status().instanceId();
	}

	String instanceId() {
		return this.instanceId;
	}

	/**
	 * Tell what this instance holds and waits for. The store is not asked.
	 */
	LocksDescriptor ofInstance(int limit) {
		OwnLocks own = new OwnLocks(this.registry);
		LockDescriptions descriptions = new LockDescriptions(own, owners(own, Map.of()));
		Set<String> keys = own.keys();
		return descriptor(keys.stream().limit(limit).map(descriptions::describe).toList(), keys.size() > limit);
	}

	/**
	 * Tell what all instances hold, and what this one waits for.
	 * @throws io.holdfast.engine.LockStoreException when the store cannot be asked
	 */
	LocksDescriptor ofCluster(int limit) {
		HeldKeys found = this.registry.operations().view().heldKeys(limit);
		OwnLocks own = new OwnLocks(this.registry);
		SortedSet<String> keys = new TreeSet<>(found.keys());
		keys.addAll(own.waitedFor());
		return descriptor(describe(keys.stream().limit(limit).toList(), own), found.more() || keys.size() > limit);
	}

	/**
	 * Tell of one lock.
	 * @return the lock, or {@code null} when nobody holds it or waits for it
	 * @throws io.holdfast.engine.LockStoreException when the store cannot be asked
	 */
	@Nullable LockDescriptor of(String key) {
		return describe(List.of(key), new OwnLocks(this.registry)).stream().findFirst().orElse(null);
	}

	private LocksDescriptor descriptor(List<LockDescriptor> locks, boolean truncated) {
		return new LocksDescriptor(this.instanceId, null, locks, truncated ? true : null);
	}

	private List<LockDescriptor> describe(List<String> keys, OwnLocks own) {
		StoreView view = this.registry.operations().view();
		Map<String, KeyState> found = view.look(keys)
			.stream()
			.collect(Collectors.toMap(KeyState::key, Function.identity()));
		List<KeyState> states = keys.stream()
			.filter((key) -> found.containsKey(key) || own.waitedFor().contains(key))
			.map((key) -> found.getOrDefault(key, new KeyState(key, null, List.of(), List.of())))
			.toList();
		LockDescriptions descriptions = new LockDescriptions(own, owners(own, view.announced(others(states))));
		return states.stream().map(descriptions::describe).toList();
	}

	private Set<String> others(List<KeyState> states) {
		Set<String> instances = new HashSet<>();
		for (KeyState state : states) {
			Stream.concat(state.holders().stream().map(Holder::owner), state.waiters().stream())
				.map((id) -> OwnerId.of(id).instance())
				.forEach(instances::add);
		}
		instances.remove(this.instanceId);
		return instances;
	}

	private Owners owners(OwnLocks own, Map<String, Map<String, String>> others) {
		Map<String, String> here = this.details.toMap();
		own.threads().forEach((owner, thread) -> here.put(InstanceDetails.threadOf(OwnerId.of(owner)), thread));
		Map<String, Map<String, String>> all = new HashMap<>(others);
		all.put(this.instanceId, here);
		return new Owners(all);
	}

}
