package io.holdfast.faults.check;

import java.util.List;

import io.holdfast.faults.history.History;
import io.holdfast.faults.history.Outcome;

/**
 * No caller gets an exception that it should not.
 */
final class NothingFails implements Rule {

	@Override
	public List<String> violations(History history, Promise promise) {
		return history.attempts()
			.stream()
			.filter((attempt) -> attempt.outcome() == Outcome.FAILED)
			.map((attempt) -> "%s failed: %s".formatted(attempt.id(), attempt.detail()))
			.toList();
	}

}
