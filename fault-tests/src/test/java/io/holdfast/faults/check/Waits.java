package io.holdfast.faults.check;

import java.time.Duration;

import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.History;

/**
 * How long callers wait.
 */
public final class Waits {

	private Waits() {
	}

	/**
	 * Return how much longer than it wanted an attempt has waited; negative when it did
	 * not wait so long.
	 */
	public static Duration beyondLimit(Attempt attempt, History history) {
		long end = (attempt.section() != null) ? attempt.section().entered() : attempt.ended();
		long waited = end - attempt.asked() - history.paused(attempt.worker(), attempt.asked(), end);
		return Duration.ofNanos(waited).minus(attempt.waitFor());
	}

}
