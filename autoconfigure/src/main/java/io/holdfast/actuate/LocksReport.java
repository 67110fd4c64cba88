package io.holdfast.actuate;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.holdfast.actuate.LocksQuery.Cursor;
import io.holdfast.engine.LockOperations;
import io.holdfast.engine.StoreView.HeldKeys;
import io.holdfast.engine.StoreView.Holder;
import io.holdfast.engine.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

/**
 * Describes locks, from this instance's memory or from the store. What asks the store
 * takes most of the time for an answer, and leaves some for a last request that is slow.
 */
final class LocksReport {

	// How long keys are searched for: Redis takes up to two microseconds for each key
	// that it has
	private static final Duration SCANNING = Duration.ofMillis(1600);

	// When to have looked at what was found
	private static final Duration LOOKING = Duration.ofMillis(1750);

	// Time after which instances are no longer looked up
	private static final Duration ASKING = Duration.ofMillis(1850);

	// How many things a request is about. In a Cluster, each may be a request of its own
	private static final int PORTION = 20;

	private final LockOperations operations;

	private final InstanceDetails details;

	LocksReport(LockOperations operations, InstanceDetails details) {
		this.operations = operations;
		this.details = details;
	}

	// Only the store knows who holds what this instance just waits for
	LocksDescriptor ofInstance(String prefix, int limit, boolean askStore) {
		long start = System.nanoTime();
		OwnLocks own = new OwnLocks(this.operations);
		List<String> keys = Stream.concat(own.held().stream(), own.waitedFor().stream())
			.filter((key) -> key.startsWith(prefix))
			.distinct()
			.sorted()
			.toList();
		List<String> told = keys.stream().limit(limit).toList();
		List<String> elsewhere = askStore ? told.stream().filter((key) -> own.holds(key).isEmpty()).toList()
				: List.of();
		Map<String, KeyState> states = new HashMap<>();
		ask(elsewhere, start + LOOKING.toNanos(), (some) -> look(some, states));
		LockDescriptions descriptions = descriptions(states.values(), own, start + ASKING.toNanos());
		return new LocksDescriptor(this.operations.instanceId(), null, told.stream()
			.map((key) -> states.containsKey(key) ? descriptions.describe(states.get(key)) : descriptions.describe(key))
			.toList(), (keys.size() > limit) ? true : null, null);
	}

	LocksDescriptor ofCluster(LocksQuery query) {
		long start = System.nanoTime();
		Cursor cursor = query.cursor();
		HeldKeys found = this.operations.view().heldKeys(query.prefix(), cursor.ranges(), SCANNING);
		OwnLocks own = new OwnLocks(this.operations);
		NavigableSet<String> keys = new TreeSet<>(found.keys());
		if (cursor.isAtBeginning()) {
			own.waitedFor().stream().filter((key) -> key.startsWith(query.prefix())).forEach(keys::add);
		}
		List<String> left = List.copyOf(keys.tailSet(cursor.after(), false));
		Map<String, KeyState> states = new HashMap<>();
		List<String> seen = ask(left.stream().limit(query.limit()).toList(), start + LOOKING.toNanos(),
				(some) -> look(some, states));
		Cursor next = next(found, left, seen);
		return new LocksDescriptor(this.operations.instanceId(), null,
				describe(seen, states, own, start + ASKING.toNanos()), (next != null) ? true : null,
				(next != null) ? next.toString() : null);
	}

	// What was found and not seen is found again: SCAN has no order
	private static @Nullable Cursor next(HeldKeys found, List<String> left, List<String> seen) {
		if (seen.size() < left.size()) {
			return new Cursor(found.searched(), seen.get(seen.size() - 1));
		}
		return found.isComplete() ? null : new Cursor(found.rest(), "");
	}

	@Nullable LockDescriptor of(String key) {
		long start = System.nanoTime();
		Map<String, KeyState> states = new HashMap<>();
		look(List.of(key), states);
		return describe(List.of(key), states, new OwnLocks(this.operations), start + ASKING.toNanos()).stream()
			.findFirst()
			.orElse(null);
	}

	private void look(List<String> keys, Map<String, KeyState> states) {
		this.operations.view().look(keys).forEach((state) -> states.put(state.key(), state));
	}

	private List<LockDescriptor> describe(List<String> keys, Map<String, KeyState> found, OwnLocks own, long end) {
		List<KeyState> states = keys.stream()
			.filter((key) -> found.containsKey(key) || own.waitedFor().contains(key))
			.map((key) -> found.getOrDefault(key, KeyState.empty(key, null)))
			.toList();
		return states.stream().map(descriptions(states, own, end)::describe).toList();
	}

	private LockDescriptions descriptions(Collection<KeyState> states, OwnLocks own, long end) {
		Map<String, Map<String, String>> instances = new HashMap<>();
		ask(others(states, own), end, (some) -> instances.putAll(this.operations.view().announced(some)));
		instances.put(this.operations.instanceId(), this.details.toMap());
		return new LockDescriptions(own, instances);
	}

	private static List<String> others(Collection<KeyState> states, OwnLocks own) {
		return states.stream()
			.flatMap((state) -> Stream.concat(state.holders().stream().map(Holder::owner), state.waiters().stream()))
			.map(OwnerId::of)
			.filter((owner) -> !own.isHere(owner))
			.map(OwnerId::instance)
			.distinct()
			.toList();
	}

	// Look things up, a few at a time, until the time is over; the first few in any case
	private static <T> List<T> ask(List<T> things, long end, Consumer<List<T>> question) {
		int asked = 0;
		while (asked < things.size() && (asked == 0 || System.nanoTime() - end < 0)) {
			int next = Math.min(asked + PORTION, things.size());
			question.accept(things.subList(asked, next));
			asked = next;
		}
		return things.subList(0, asked);
	}

}
