package io.holdfast.engine;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The acquisitions of this instance that have to wait.
 */
final class Waits {

	private final Set<Acquisition> waiting = ConcurrentHashMap.newKeySet();

	void add(Acquisition acquisition) {
		this.waiting.add(acquisition);
	}

	void remove(Acquisition acquisition) {
		this.waiting.remove(acquisition);
	}

	/**
	 * Return how many wait for one of some keys.
	 */
	long count(List<String> keys) {
		return this.waiting.stream().filter((acquisition) -> acquisition.isForOneOf(keys)).count();
	}

	/**
	 * Return those whose owners hold other locks meanwhile.
	 */
	Stream<Acquisition> nested() {
		return this.waiting.stream().filter((acquisition) -> acquisition.claimant().nested());
	}

	/**
	 * Return who waits, the longest first.
	 */
	List<LockWait> all() {
		return this.waiting.stream()
			.map(Acquisition::snapshot)
			.sorted(Comparator.comparing(LockWait::waited).reversed())
			.toList();
	}

}
