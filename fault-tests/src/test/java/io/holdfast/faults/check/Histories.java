package io.holdfast.faults.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.LockMode;
import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.Attempt.Section;
import io.holdfast.faults.history.Attempt.Write;
import io.holdfast.faults.history.History;
import io.holdfast.faults.history.LedgerEntry;
import io.holdfast.faults.history.Outcome;
import io.holdfast.faults.history.Pause;
import org.jspecify.annotations.Nullable;

/**
 * Histories written by hand, whose times are milliseconds.
 */
final class Histories {

	private final List<Attempt> attempts = new ArrayList<>();

	private final List<Pause> pauses = new ArrayList<>();

	private final List<LedgerEntry> ledger = new ArrayList<>();

	private String key = "k";

	/**
	 * What follows is about this key.
	 */
	Histories of(String key) {
		this.key = key;
		return this;
	}

	/**
	 * A section that was held to its end and released.
	 */
	Histories section(String id, long entered, long left, long token) {
		return section(id, LockMode.EXCLUSIVE, entered, left, left, token, Outcome.RELEASED, 0);
	}

	Histories shared(String id, long entered, long left, long token) {
		return section(id, LockMode.SHARED, entered, left, left, token, Outcome.RELEASED, 0);
	}

	/**
	 * A section that was not held to its end.
	 */
	Histories section(String id, long entered, long heldUntil, long left, long token, @Nullable Outcome outcome,
			int timesTold) {
		return section(id, LockMode.EXCLUSIVE, entered, heldUntil, left, token, outcome, timesTold);
	}

	private Histories section(String id, LockMode mode, long entered, long heldUntil, long left, long token,
			@Nullable Outcome outcome, int timesTold) {
		Section section = new Section(Map.of(this.key, token), nanos(entered), nanos(heldUntil), nanos(left),
				List.of());
		this.attempts.add(new Attempt(id, id, List.of(this.key), mode, nanos(entered - 1), Duration.ofSeconds(2),
				section, outcome, nanos(left), timesTold, ""));
		return this;
	}

	/**
	 * The section that was added last has written this.
	 */
	Histories writes(long count, boolean accepted) {
		Attempt last = this.attempts.remove(this.attempts.size() - 1);
		Section section = last.section();
		assert section != null;
		Map<String, Long> tokens = new LinkedHashMap<>(section.tokens());
		this.attempts
			.add(new Attempt(last.id(), last.worker(), last.keys(), last.mode(), last.asked(), last.waitFor(),
					new Section(tokens, section.entered(), section.heldUntil(), section.left(),
							List.of(new Write("k", count, accepted))),
					last.outcome(), last.ended(), last.timesTold(), ""));
		return this;
	}

	/**
	 * An attempt that has not got the lock.
	 */
	Histories refused(String id, long asked, long ended, long waitFor, Outcome outcome) {
		this.attempts.add(new Attempt(id, id, List.of("k"), LockMode.EXCLUSIVE, nanos(asked),
				Duration.ofMillis(waitFor), null, outcome, nanos(ended), 0, "why"));
		return this;
	}

	Histories paused(String worker, long from, long to) {
		this.pauses.add(new Pause(worker, nanos(from), nanos(to)));
		return this;
	}

	Histories ledger(LedgerEntry... entries) {
		this.ledger.addAll(Arrays.asList(entries));
		return this;
	}

	static LedgerEntry entry(long token, long count) {
		return new LedgerEntry("k", token, count);
	}

	private static long nanos(long millis) {
		return Duration.ofMillis(millis).toNanos();
	}

	/**
	 * Look for broken promises.
	 */
	List<String> violations(Promise promise) {
		return violations(promise, false);
	}

	/**
	 * Look for broken promises where nobody should have noticed anything.
	 */
	List<String> violationsUnnoticed(Promise promise) {
		return violations(promise, true);
	}

	private List<String> violations(Promise promise, boolean unnoticed) {
		History history = new History(this.attempts, this.pauses, this.ledger, Map.of("k", 0L));
		return new Checker(Duration.ofMillis(100), unnoticed).violations(history, promise);
	}

}
