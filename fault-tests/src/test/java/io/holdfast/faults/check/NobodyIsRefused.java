package io.holdfast.faults.check;

import java.util.List;

import io.holdfast.faults.history.History;
import io.holdfast.faults.history.Outcome;

/**
 * Nobody is told that Redis cannot be asked, unless its application stood still
 * meanwhile. For faults that users should not notice.
 */
final class NobodyIsRefused implements Rule {

	@Override
	public List<String> violations(History history, Promise promise) {
		return history.attempts()
			.stream()
			.filter((attempt) -> attempt.outcome() == Outcome.UNAVAILABLE && history.pausedDuring(attempt).isZero())
			.map((attempt) -> "%s was refused: Redis could not be asked".formatted(attempt.id()))
			.toList();
	}

}
