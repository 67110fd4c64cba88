package io.holdfast.faults.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;

import io.holdfast.LockMode;
import io.holdfast.faults.worker.Plan;

/**
 * Attempts that were in each other's way.
 *
 * @param older the one with the smaller token
 * @param newer the other one
 */
record Overlap(Attempt older, Attempt newer) {

	/**
	 * Return all pairs that were in their sections at the same time though one of them
	 * was exclusive, or there was no permit for both.
	 * @param granted attempts that have got the lock of one key
	 * @param end when a section ends that began when it was entered; one that ends before
	 * that is none
	 */
	static List<Overlap> find(String key, List<Attempt> granted, ToLongFunction<Attempt> end) {
		List<Overlap> pairs = new ArrayList<>();
		List<Attempt> inside = new ArrayList<>();
		for (Attempt next : byEntry(granted)) {
			long entered = next.entered;
			if (end.applyAsLong(next) < entered) {
				continue;
			}
			inside.removeIf((attempt) -> end.applyAsLong(attempt) < entered);
			inside.stream()
				.filter((attempt) -> attempt.mode == LockMode.EXCLUSIVE || next.mode == LockMode.EXCLUSIVE)
				.forEach((attempt) -> pairs.add(pair(key, attempt, next)));
			if (key.equals(Plan.LIMITED) && inside.size() >= Plan.PERMITS) {
				pairs.add(pair(key, likeliestToHaveLostIt(inside), next));
			}
			inside.add(next);
		}
		return pairs;
	}

	static List<Attempt> byEntry(List<Attempt> granted) {
		return granted.stream().sorted(Comparator.comparingLong((attempt) -> attempt.entered)).toList();
	}

	private static Attempt likeliestToHaveLostIt(List<Attempt> inside) {
		return inside.stream()
			.filter((attempt) -> attempt.isLossTold() || attempt.outcome != Outcome.RELEASED)
			.findFirst()
			.orElse(inside.get(0));
	}

	private static Overlap pair(String key, Attempt one, Attempt other) {
		return (one.token(key) <= other.token(key)) ? new Overlap(one, other) : new Overlap(other, one);
	}

}
