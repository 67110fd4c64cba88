package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The holds of this instance, at most one for each key and owner; and those that each
 * thread still relies on, including lost ones.
 */
final class Holds {

	private static final int PRUNED_FROM = 16;

	private final ConcurrentHashMap<Hold.OwnedKey, Hold> holds = new ConcurrentHashMap<>();

	private final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

	// The values are of the JDK: a pooled thread may outlive the application, and must
	// not keep its classes
	private final ThreadLocal<@Nullable Map<Hold, Boolean>> ofThreads = new ThreadLocal<>();

	private final Tally tally;

	private final Listeners listeners;

	Holds(Listeners listeners, EngineRuntime runtime) {
		this.listeners = listeners;
		this.tally = new Tally(runtime);
	}

	Map<Hold, List<String>> find(List<String> keys, Owner owner) {
		Map<Hold, List<String>> found = Map.of();
		for (String key : keys) {
			Hold hold = this.holds.get(new Hold.OwnedKey(key, owner.id()));
			if (hold != null) {
				found = found.isEmpty() ? new LinkedHashMap<>() : found;
				found.computeIfAbsent(hold, (h) -> new ArrayList<>()).add(key);
			}
		}
		return found;
	}

	// The store is not asked
	String nameOf(String holder, List<String> keys, @Nullable Owner asking) {
		return keys.stream()
			.map((key) -> this.holds.get(new Hold.OwnedKey(key, holder)))
			.filter(Objects::nonNull)
			.findFirst()
			.map((hold) -> "%s (%s)".formatted(hold.holderName(asking), holder))
			.orElse(holder);
	}

	// One that was not added cannot be removed: remove() does nothing for it
	void add(Hold hold) {
		addToThread(hold);
		this.tally.begin();
		synchronized (hold) { // who finds one key removes all
			hold.ownedKeys().forEach((key) -> this.holds.put(key, hold));
			this.counts.merge(hold.owner().id(), 1, Integer::sum);
		}
		this.listeners.tell(EngineListener::held, hold);
	}

	void remove(Hold hold) {
		if (removeKeys(hold)) {
			this.counts.computeIfPresent(hold.owner().id(), (owner, count) -> (count > 1) ? count - 1 : null);
			this.tally.end();
			this.listeners.tell(EngineListener::ended, hold);
		}
	}

	private boolean removeKeys(Hold hold) {
		boolean removed = false;
		synchronized (hold) {
			for (Hold.OwnedKey key : hold.ownedKeys()) {
				removed |= this.holds.remove(key, hold);
			}
		}
		return removed;
	}

	Collection<Hold> all() {
		return this.holds.values().stream().distinct().toList();
	}

	@Nullable Duration oldest() {
		return this.holds.values().stream().map(Hold::heldFor).max(Comparator.naturalOrder()).orElse(null);
	}

	int count() {
		return this.tally.count();
	}

	// Except those of threads that wait for the shutdown themselves. A hold that is just
	// being added counts, but is not found yet
	void awaitNone(Duration atMost) {
		this.tally.awaitNone(atMost, () -> {
			Collection<Hold> found = all();
			return found.size() == count() && found.stream().allMatch(Hold::waitsForShutdown);
		});
	}

	private void addToThread(Hold hold) {
		if (hold.owner().thread() != Thread.currentThread()) {
			return;
		}
		Map<Hold, Boolean> ofThisThread = this.ofThreads.get();
		if (ofThisThread == null) {
			ofThisThread = new WeakHashMap<>();
			this.ofThreads.set(ofThisThread);
		}
		ofThisThread.put(hold, true);
		if (isToPrune(ofThisThread.size())) {
			ofThisThread.keySet().removeIf((each) -> !each.isReliedOn());
		}
	}

	// Holds that another thread has released are still there: they are removed each time
	// that the number has doubled
	private static boolean isToPrune(int size) {
		return size >= PRUNED_FROM && Integer.bitCount(size) == 1;
	}

	void closed(Hold hold) {
		if (hold.owner().thread() == Thread.currentThread() && !hold.isReliedOn()) {
			Map<Hold, Boolean> ofThisThread = this.ofThreads.get();
			if (ofThisThread != null) {
				ofThisThread.remove(hold);
			}
		}
	}

	List<Hold> ofCurrentThread() {
		Map<Hold, Boolean> ofThisThread = this.ofThreads.get();
		return (ofThisThread != null) ? ofThisThread.keySet()
			.stream()
			.filter(Hold::isReliedOn)
			.sorted(Comparator.comparing(Hold::token))
			.toList() : List.of();
	}

}
