package io.holdfast.faults.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.History;
import io.holdfast.faults.history.Outcome;

/**
 * A loss is told to the listener once, and also to the caller; and there is none that
 * should not be.
 */
final class LossesAreTold implements Rule {

	/**
	 * Who stands still for half a lease may lose a lock in spite of all.
	 */
	private static final Duration HALF_A_LEASE = Duration.ofMillis(1500);

	@Override
	public List<String> violations(History history, Promise promise) {
		List<String> violations = new ArrayList<>();
		for (Attempt attempt : history.attempts()) {
			if (attempt.isLossTold() && promise == Promise.NOTHING_LOST
					&& history.pausedDuring(attempt).compareTo(HALF_A_LEASE) < 0) {
				violations.add("%s has lost %s".formatted(attempt.id(), attempt.keys()));
			}
			if (attempt.timesTold() > 1 || isHalfTold(attempt)) {
				violations.add("%s ended %s, and its listener was told a loss %d times".formatted(attempt.id(),
						attempt.outcome(), attempt.timesTold()));
			}
		}
		return violations;
	}

	private static boolean isHalfTold(Attempt attempt) {
		return !attempt.isCutOff() && (attempt.timesTold() == 1) != (attempt.outcome() == Outcome.LOST);
	}

}
