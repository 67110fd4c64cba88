package io.holdfast.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Chooses which of the callers that wait while their owners hold something are looked at:
 * the longest waits first, and in turn if there are many. For one thread.
 */
final class CallerRota {

	/**
	 * How many callers are looked at in one round.
	 */
	private static final int MOST_CALLERS = 20;

	private final Waits waits;

	private final Duration leastWait;

	private int lookedAt;

	/**
	 * Create a rota.
	 * @param leastWait how long a caller has waited before it is looked at
	 */
	CallerRota(Waits waits, Duration leastWait) {
		this.waits = waits;
		this.leastWait = leastWait;
	}

	boolean isEmpty() {
		return this.waits.nested().findAny().isEmpty();
	}

	List<Acquisition> next() {
		List<Acquisition> callers = this.waits.nested()
			.map((caller) -> new Candidate(caller, caller.waited()))
			.filter((candidate) -> candidate.waited().compareTo(this.leastWait) > 0)
			.sorted(Comparator.comparing(Candidate::waited).reversed())
			.map(Candidate::caller)
			.collect(Collectors.toList());
		if (callers.size() > MOST_CALLERS) {
			Collections.rotate(callers, -(this.lookedAt % callers.size()));
			this.lookedAt = (this.lookedAt + MOST_CALLERS) % callers.size();
		}
		return callers.stream().limit(MOST_CALLERS).toList();
	}

	/**
	 * Return the callers that are to own what they wait for.
	 */
	List<Acquisition> of(Set<String> owners) {
		return this.waits.nested().filter((caller) -> owners.contains(KnownWaits.owner(caller))).toList();
	}

	/**
	 * A caller that may be looked at.
	 *
	 * @param waited for how long, at the one moment that counts: it goes on growing while
	 * callers are put in order
	 */
	private record Candidate(Acquisition caller, Duration waited) {
	}

}
