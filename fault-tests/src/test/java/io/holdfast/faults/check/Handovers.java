package io.holdfast.faults.check;

import java.time.Duration;
import java.util.Objects;

import io.holdfast.LockMode;
import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.Attempt.Section;
import io.holdfast.faults.history.History;

/**
 * Callers of one instance pass a lock to each other, and Redis is not asked each time:
 * where it may forget a grant, they go on under it for a moment.
 */
final class Handovers {

	/**
	 * For how long they do not ask.
	 */
	private static final Duration CHECK = Duration.ofMillis(50);

	/**
	 * How long leases are.
	 */
	private static final Duration LEASE = Duration.ofSeconds(3);

	private Handovers() {
	}

	/**
	 * Return whether one may have entered under a grant that had been forgotten, after
	 * another of another instance.
	 */
	static boolean mayBeginUnasked(Attempt attempt, Attempt other, History history) {
		long from = section(other).entered();
		long to = section(attempt).entered();
		return isElsewhere(attempt, other) && to - from < LEASE.toNanos()
				&& to - from - history.paused(attempt.worker(), from, to) < CHECK.toNanos();
	}

	/**
	 * Return whether one with an exclusive lock of one key may have left, under a grant
	 * that had been forgotten, after another of another instance had entered.
	 */
	static boolean mayEndUnasked(Attempt attempt, Attempt other) {
		long late = section(attempt).left() - section(other).entered();
		return attempt.mode() == LockMode.EXCLUSIVE && attempt.keys().size() == 1 && isElsewhere(attempt, other)
				&& late >= 0 && late < CHECK.toNanos();
	}

	private static boolean isElsewhere(Attempt attempt, Attempt other) {
		return !attempt.worker().equals(other.worker());
	}

	private static Section section(Attempt attempt) {
		return Objects.requireNonNull(attempt.section());
	}

}
