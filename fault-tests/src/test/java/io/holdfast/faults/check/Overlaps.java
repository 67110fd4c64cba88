package io.holdfast.faults.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;

import io.holdfast.LockMode;
import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.Attempt.Section;
import io.holdfast.faults.history.Outcome;
import io.holdfast.faults.worker.Plans;

/**
 * Finds attempts that were in each other's way.
 */
final class Overlaps {

	private final ToLongFunction<Section> end;

	/**
	 * Create a search.
	 * @param end when a section ends that began when it was entered; one that ends before
	 * that is none
	 */
	Overlaps(ToLongFunction<Section> end) {
		this.end = end;
	}

	/**
	 * Return all pairs that were in their sections at the same time though one of them
	 * was exclusive, or there was no permit for both, the one with the smaller token
	 * first.
	 * @param granted attempts that have got the lock of one key
	 */
	List<Pair> find(String key, List<Attempt> granted) {
		List<Pair> pairs = new ArrayList<>();
		List<Attempt> inside = new ArrayList<>();
		for (Attempt next : inOrder(granted)) {
			inside.removeIf((attempt) -> endOf(attempt) < section(next).entered());
			inside.stream()
				.filter((attempt) -> attempt.mode() == LockMode.EXCLUSIVE || next.mode() == LockMode.EXCLUSIVE)
				.forEach((attempt) -> pairs.add(pair(key, attempt, next)));
			if (key.equals(Plans.LIMITED) && inside.size() >= Plans.PERMITS) {
				pairs.add(pair(key, likeliestToHaveLostIt(inside), next));
			}
			inside.add(next);
		}
		return pairs;
	}

	private static Attempt likeliestToHaveLostIt(List<Attempt> inside) {
		return inside.stream()
			.filter((attempt) -> attempt.isLossTold() || attempt.outcome() != Outcome.RELEASED)
			.findFirst()
			.orElse(inside.get(0));
	}

	private List<Attempt> inOrder(List<Attempt> granted) {
		return granted.stream()
			.filter((attempt) -> endOf(attempt) >= section(attempt).entered())
			.sorted(Comparator.comparingLong((attempt) -> section(attempt).entered()))
			.toList();
	}

	private long endOf(Attempt attempt) {
		return this.end.applyAsLong(section(attempt));
	}

	private static Pair pair(String key, Attempt one, Attempt other) {
		boolean inOrder = token(one, key) <= token(other, key);
		return inOrder ? new Pair(one, other) : new Pair(other, one);
	}

	private static long token(Attempt attempt, String key) {
		return Objects.requireNonNull(section(attempt).tokens().get(key));
	}

	private static Section section(Attempt attempt) {
		return Objects.requireNonNull(attempt.section());
	}

	/**
	 * Two attempts that were in each other's way.
	 *
	 * @param older the one with the smaller token
	 * @param newer the other one
	 */
	record Pair(Attempt older, Attempt newer) {
	}

}
