package io.holdfast.engine;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The acquisitions of this instance that have to wait.
 */
final class Waits {

	/**
	 * By owner, of whom each waits once at a time.
	 */
	private final ConcurrentHashMap<String, Acquisition> waiting = new ConcurrentHashMap<>();

	/**
	 * So that it costs nothing to count those for a key, however many others there are.
	 */
	private final ConcurrentHashMap<String, Set<Acquisition>> byKey = new ConcurrentHashMap<>();

	void add(Acquisition acquisition) {
		this.waiting.put(ownerOf(acquisition), acquisition);
		for (String key : acquisition.terms().keys()) {
			this.byKey.compute(key, (wanted, there) -> with(acquisition, there));
		}
	}

	private static String ownerOf(Acquisition acquisition) {
		return acquisition.owner().id();
	}

	private static Set<Acquisition> with(Acquisition acquisition, @Nullable Set<Acquisition> there) {
		Set<Acquisition> all = (there != null) ? there : ConcurrentHashMap.newKeySet();
		all.add(acquisition);
		return all;
	}

	void remove(Acquisition acquisition) {
		this.waiting.remove(ownerOf(acquisition), acquisition);
		for (String key : acquisition.terms().keys()) {
			this.byKey.computeIfPresent(key, (wanted, there) -> without(acquisition, there));
		}
	}

	private static @Nullable Set<Acquisition> without(Acquisition acquisition, Set<Acquisition> there) {
		there.remove(acquisition);
		return there.isEmpty() ? null : there;
	}

	/**
	 * Return how many wait for one of some keys.
	 */
	long count(List<String> keys) {
		return (keys.size() == 1) ? waitingFor(keys.get(0)).size()
				: keys.stream().flatMap((key) -> waitingFor(key).stream()).distinct().count();
	}

	private Set<Acquisition> waitingFor(String key) {
		return this.byKey.getOrDefault(key, Set.of());
	}

	/**
	 * Return how many wait.
	 */
	int count() {
		return this.waiting.size();
	}

	/**
	 * Have all look again how long to wait.
	 */
	void wakeAll() {
		this.waiting.values().forEach(Acquisition::wake);
	}

	/**
	 * Return who waits.
	 */
	Stream<Owner> owners() {
		return this.waiting.values().stream().map((acquisition) -> acquisition.owner());
	}

	/**
	 * Return those whose owners hold other locks meanwhile.
	 */
	Stream<Acquisition> nested() {
		return this.waiting.values().stream().filter((acquisition) -> acquisition.nested());
	}

	/**
	 * Return who waits, the longest first.
	 */
	List<LockWait> all() {
		return this.waiting.values()
			.stream()
			.map(Acquisition::snapshot)
			.sorted(Comparator.comparing(LockWait::waited).reversed())
			.toList();
	}

}
