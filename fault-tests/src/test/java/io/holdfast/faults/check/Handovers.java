package io.holdfast.faults.check;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.holdfast.LockMode;
import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.Attempt.Section;
import io.holdfast.faults.history.History;

/**
 * Callers of one instance pass a lock to each other, and Redis is not asked each time:
 * where it may forget a grant, they go on under it for a moment. A caller that enters a
 * retained lock may do so long after the grant was forgotten, and is told soon.
 */
final class Handovers {

	/**
	 * For how long they do not ask.
	 */
	private static final Duration CHECK = Duration.ofMillis(50);

	/**
	 * How long leases are. A lock that is retained for longer than two thirds of that is
	 * given back.
	 */
	private static final Duration LEASE = Duration.ofSeconds(3);

	/**
	 * The key whose lock stays with the instance that has released it.
	 */
	private static final String RETAINED = "retained";

	private Handovers() {
	}

	/**
	 * Return whether one may have entered under a grant that had been forgotten, after
	 * another of another instance.
	 */
	static boolean mayBeginUnasked(Attempt attempt, Attempt other, History history) {
		long from = section(other).entered();
		long to = section(attempt).entered();
		long asked = isRetained(attempt) ? LEASE.toNanos() : CHECK.toNanos();
		return isElsewhere(attempt, other) && to - from < LEASE.toNanos()
				&& to - from - history.paused(attempt.worker(), from, to) < asked;
	}

	/**
	 * Return whether one with an exclusive lock of one key may have left, under a grant
	 * that had been forgotten, after another of another instance had entered.
	 */
	static boolean mayEndUnasked(Attempt attempt, Attempt other) {
		long from = section(other).entered();
		long unasked = isRetained(attempt) ? Math.max(from, section(attempt).entered()) : from;
		long late = section(attempt).left() - unasked;
		return attempt.mode() == LockMode.EXCLUSIVE && attempt.keys().size() == 1 && isElsewhere(attempt, other)
				&& late >= 0 && late < CHECK.toNanos();
	}

	private static boolean isRetained(Attempt attempt) {
		return attempt.keys().equals(List.of(RETAINED));
	}

	private static boolean isElsewhere(Attempt attempt, Attempt other) {
		return !attempt.worker().equals(other.worker());
	}

	private static Section section(Attempt attempt) {
		return Objects.requireNonNull(attempt.section());
	}

}
