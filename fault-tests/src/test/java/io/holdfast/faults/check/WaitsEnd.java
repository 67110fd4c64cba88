package io.holdfast.faults.check;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.History;
import org.jspecify.annotations.Nullable;

/**
 * Every acquisition ends within its wait and some slack, not counting the time for which
 * its worker stood still.
 */
final class WaitsEnd implements Rule {

	private final Duration slack;

	WaitsEnd(Duration slack) {
		this.slack = slack;
	}

	@Override
	public List<String> violations(History history, Promise promise) {
		return history.attempts()
			.stream()
			.map((attempt) -> violation(attempt, history))
			.filter(Objects::nonNull)
			.toList();
	}

	private @Nullable String violation(Attempt attempt, History history) {
		Duration late = Waits.beyondLimit(attempt, history);
		return (late.compareTo(this.slack) > 0)
				? "%s waited %d ms longer than it should".formatted(attempt.id(), late.toMillis()) : null;
	}

}
