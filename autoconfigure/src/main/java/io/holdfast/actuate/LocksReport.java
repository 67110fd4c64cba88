package io.holdfast.actuate;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.holdfast.actuate.LocksQuery.Cursor;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.store.StoreView.HeldKeys;
import io.holdfast.engine.store.StoreView.Holder;
import io.holdfast.engine.store.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

/**
 * Describes locks, from this instance's memory or from the store.
 */
final class LocksReport {

	/**
	 * How long keys are searched for: most of the time for an answer, since Redis takes
	 * up to two microseconds for each key that it has. All steps together take less than
	 * that time, since each request may take a moment longer.
	 */
	private static final Duration SCANNING = Duration.ofMillis(1600);

	/**
	 * When to have looked at what was found.
	 */
	private static final Duration LOOKING = Duration.ofMillis(1750);

	/**
	 * Time after which instances are no longer looked up.
	 */
	private static final Duration ASKING = Duration.ofMillis(1850);

	private final HoldfastLockRegistry registry;

	private final InstanceDetails details;

	LocksReport(HoldfastLockRegistry registry, InstanceDetails details) {
		this.registry = registry;
		this.details = details;
	}

	String instanceId() {
		return this.registry.operations().instanceId();
	}

	/**
	 * Describe what this instance holds and waits for. The store is not asked.
	 */
	LocksDescriptor ofInstance(String prefix, int limit) {
		OwnLocks own = new OwnLocks(this.registry);
		LockDescriptions descriptions = new LockDescriptions(own, instances(Map.of()));
		List<String> keys = own.keys().stream().filter((key) -> key.startsWith(prefix)).toList();
		return new LocksDescriptor(instanceId(), null, keys.stream().limit(limit).map(descriptions::describe).toList(),
				(keys.size() > limit) ? true : null, null);
	}

	/**
	 * Describe what all instances hold, and what this one waits for, as far as there is
	 * time.
	 * @throws io.holdfast.engine.store.LockStoreException when the store cannot be asked
	 */
	LocksDescriptor ofCluster(LocksQuery query) {
		LimitedTime looking = LimitedTime.of(LOOKING);
		LimitedTime asking = LimitedTime.of(ASKING);
		Cursor cursor = query.cursor();
		HeldKeys found = this.registry.operations().view().heldKeys(query.prefix(), cursor.ranges(), SCANNING);
		OwnLocks own = new OwnLocks(this.registry);
		NavigableSet<String> keys = new TreeSet<>(found.keys());
		if (cursor.isAtBeginning()) {
			own.waitedFor().stream().filter((key) -> key.startsWith(query.prefix())).forEach(keys::add);
		}
		List<String> left = List.copyOf(keys.tailSet(cursor.after(), false));
		Map<String, KeyState> states = new HashMap<>();
		List<String> seen = looking.ask(left.stream().limit(query.limit()).toList(), (some) -> look(some, states));
		return descriptor(describe(seen, states, own, asking), next(found, left, seen));
	}

	/**
	 * What was found and not seen is found again: SCAN has no order.
	 */
	private static @Nullable Cursor next(HeldKeys found, List<String> left, List<String> seen) {
		if (seen.size() < left.size()) {
			return new Cursor(found.searched(), seen.get(seen.size() - 1));
		}
		return found.isComplete() ? null : new Cursor(found.rest(), "");
	}

	/**
	 * Tell of one lock.
	 * @return the lock, or {@code null} when it has neither holder nor waiter
	 * @throws io.holdfast.engine.store.LockStoreException when the store cannot be asked
	 */
	@Nullable LockDescriptor of(String key) {
		LimitedTime asking = LimitedTime.of(ASKING);
		Map<String, KeyState> states = new HashMap<>();
		look(List.of(key), states);
		return describe(List.of(key), states, new OwnLocks(this.registry), asking).stream().findFirst().orElse(null);
	}

	private void look(List<String> keys, Map<String, KeyState> states) {
		this.registry.operations().view().look(keys).forEach((state) -> states.put(state.key(), state));
	}

	private LocksDescriptor descriptor(List<LockDescriptor> locks, @Nullable Cursor next) {
		return (next != null) ? new LocksDescriptor(instanceId(), null, locks, true, next.toString())
				: new LocksDescriptor(instanceId(), null, locks, null, null);
	}

	private List<LockDescriptor> describe(List<String> keys, Map<String, KeyState> found, OwnLocks own,
			LimitedTime asking) {
		List<KeyState> states = keys.stream()
			.filter((key) -> found.containsKey(key) || own.isWaitedFor(key))
			.map((key) -> found.getOrDefault(key, KeyState.empty(key, null)))
			.toList();
		Map<String, Map<String, String>> announced = new HashMap<>();
		asking.ask(others(states), (some) -> announced.putAll(this.registry.operations().view().announced(some)));
		LockDescriptions descriptions = new LockDescriptions(own, instances(announced));
		return states.stream().map(descriptions::describe).toList();
	}

	private List<String> others(List<KeyState> states) {
		return states.stream()
			.flatMap((state) -> Stream.concat(state.holders().stream().map(Holder::owner), state.waiters().stream()))
			.map((id) -> OwnerId.of(id).instance())
			.filter((instance) -> !instance.equals(instanceId()))
			.distinct()
			.toList();
	}

	private Map<String, Map<String, String>> instances(Map<String, Map<String, String>> others) {
		Map<String, Map<String, String>> all = new HashMap<>(others);
		all.put(instanceId(), this.details.toMap());
		return all;
	}

	/**
	 * Time in which requests are sent to the store, one after the other.
	 */
	private static final class LimitedTime {

		/**
		 * How many things a request is about. In a Cluster, each may be a request of its
		 * own.
		 */
		private static final int PORTION = 20;

		private final long end;

		private LimitedTime(long end) {
			this.end = end;
		}

		static LimitedTime of(Duration time) {
			return new LimitedTime(System.nanoTime() + TimeUnit.NANOSECONDS.convert(time));
		}

		/**
		 * Look things up, a few at a time, until the time is over; the first few in any
		 * case.
		 * @return the things that were looked up
		 */
		<T> List<T> ask(List<T> things, Consumer<List<T>> question) {
			int asked = 0;
			while (asked < things.size() && (asked == 0 || System.nanoTime() - this.end < 0)) {
				int next = Math.min(asked + PORTION, things.size());
				question.accept(things.subList(asked, next));
				asked = next;
			}
			return things.subList(0, asked);
		}

	}

}
