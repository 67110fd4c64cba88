package io.holdfast.faults.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.holdfast.LockMode;
import io.holdfast.faults.history.Attempt.Write;
import io.holdfast.faults.history.History.Entry;

/**
 * Looks for broken promises in a history.
 */
public final class Checker {

	private static final Duration LEASE = Duration.ofSeconds(3);

	/**
	 * Callers of one instance pass a lock to each other, and Redis is not asked each
	 * time: where it may forget a grant, they go on under it for so long.
	 */
	private static final Duration HANDOVER_CHECK = Duration.ofMillis(50);

	private final List<String> violations = new ArrayList<>();

	private final History history;

	private final Promise promise;

	private Checker(History history, Promise promise) {
		this.history = history;
		this.promise = promise;
	}

	/**
	 * Return what is wrong with a history, each in a sentence.
	 * @param slack how much later than it should an acquisition may end
	 * @param unnoticed whether nothing has happened for which anybody may be refused
	 */
	public static List<String> violations(History history, Promise promise, Duration slack, boolean unnoticed) {
		Checker checker = new Checker(history, promise);
		for (Attempt attempt : history.attempts()) {
			checker.checkOutcome(attempt, slack, unnoticed);
			checker.checkLoss(attempt);
		}
		history.granted().forEach((key, granted) -> {
			checker.checkOneAtATime(key, granted);
			checker.checkTokens(key, granted);
			checker.checkWrites(key, granted);
		});
		checker.checkLedger();
		return checker.violations;
	}

	private void add(String violation, Object... arguments) {
		this.violations.add(violation.formatted(arguments));
	}

	private boolean mayForget() {
		return this.promise.compareTo(Promise.GRANTS_FORGOTTEN) >= 0;
	}

	/**
	 * No caller gets an exception that it should not, nor waits for longer than it wanted
	 * to, not counting the time for which its worker stood still.
	 */
	private void checkOutcome(Attempt attempt, Duration slack, boolean unnoticed) {
		if (attempt.outcome == Outcome.FAILED) {
			add("%s failed: %s", attempt.id, attempt.detail);
		}
		Duration late = this.history.beyondLimit(attempt);
		if (late.compareTo(slack) > 0) {
			add("%s waited %d ms longer than it should", attempt.id, late.toMillis());
		}
		if (unnoticed && attempt.outcome == Outcome.UNAVAILABLE && this.history.pausedDuring(attempt).isZero()) {
			add("%s was refused: Redis could not be asked", attempt.id);
		}
	}

	/**
	 * A loss is told to the listener once, and also to the caller; and there is none that
	 * should not be. Who stands still for half a lease may lose a lock in spite of all.
	 */
	private void checkLoss(Attempt attempt) {
		if (attempt.isLossTold() && this.promise == Promise.NOTHING_LOST
				&& this.history.pausedDuring(attempt).compareTo(LEASE.dividedBy(2)) < 0) {
			add("%s has lost %s", attempt.id, attempt.keys);
		}
		boolean halfTold = !attempt.isCutOff() && (attempt.timesTold == 1) != (attempt.outcome == Outcome.LOST);
		if (attempt.timesTold > 1 || halfTold) {
			add("%s ended %s, and its listener was told a loss %d times", attempt.id, attempt.outcome,
					attempt.timesTold);
		}
	}

	/**
	 * No two guarded sections overlap, except where the older holder was told that it has
	 * lost the lock, or could not be told any more. And nobody is told that it holds a
	 * lock that another has already got, unless Redis has forgotten it.
	 */
	private void checkOneAtATime(String key, List<Attempt> granted) {
		Overlap.find(key, granted, (attempt) -> attempt.left)
			.stream()
			.filter((pair) -> !isExcused(pair))
			.forEach((pair) -> add("%s entered '%s' with %s still inside, which was never told a loss", pair.newer().id,
					key, pair.older().id));
		if (!mayForget()) {
			Overlap.find(key, granted, (attempt) -> attempt.heldUntil)
				.forEach((pair) -> add("%s and %s were both told that they hold '%s'", pair.older().id, pair.newer().id,
						key));
		}
	}

	private boolean isExcused(Overlap pair) {
		Attempt older = pair.older();
		return older.isLossTold() || switch (this.promise) {
			case NOTHING_LOST -> false;
			case LOSSES_TOLD -> older.isCutOff();
			// What a Redis has forgotten cannot be told by a release that did not reach
			// it
			case GRANTS_FORGOTTEN -> older.isCutOff() || older.outcome == Outcome.PENDING
					|| older.outcome == Outcome.DONE || mayEndUnasked(older, pair.newer());
			case TWO_MASTERS -> true;
		};
	}

	/**
	 * Return whether one with an exclusive lock of one key may have left, under a grant
	 * that had been forgotten, after another of another instance had entered.
	 */
	private static boolean mayEndUnasked(Attempt attempt, Attempt other) {
		long late = attempt.left - other.entered;
		return attempt.mode == LockMode.EXCLUSIVE && attempt.keys.size() == 1 && !attempt.worker.equals(other.worker)
				&& late >= 0 && late < HANDOVER_CHECK.toNanos();
	}

	/**
	 * What was granted later has a greater token. When it was granted, nobody saw: after
	 * it was asked for, and before it was entered.
	 */
	private void checkTokens(String key, List<Attempt> granted) {
		List<Attempt> entered = Overlap.byEntry(granted);
		int next = 0;
		Attempt greatest = null;
		for (Attempt attempt : granted.stream().sorted(Comparator.comparingLong((asking) -> asking.asked)).toList()) {
			while (entered.get(next).entered < attempt.asked) {
				Attempt before = entered.get(next++);
				greatest = (greatest == null || before.token(key) > greatest.token(key)) ? before : greatest;
			}
			if (greatest != null && attempt.token(key) <= greatest.token(key) && !mayBeginUnasked(attempt, greatest)) {
				add("%s was granted '%s' with token %d after %d", attempt.id, key, attempt.token(key),
						greatest.token(key));
			}
		}
		Map<Long, Attempt> byToken = new HashMap<>();
		for (Attempt attempt : granted) {
			Attempt other = byToken.put(attempt.token(key), attempt);
			if (other != null) {
				add("%s and %s were granted '%s' with the same token", other.id, attempt.id, key);
			}
		}
	}

	/**
	 * Return whether one may have entered under a grant that had been forgotten, after
	 * another of another instance.
	 */
	private boolean mayBeginUnasked(Attempt attempt, Attempt other) {
		long from = other.entered;
		long to = attempt.entered;
		return mayForget() && !attempt.worker.equals(other.worker) && to - from < LEASE.toNanos()
				&& to - from - this.history.paused(attempt.worker, from, to) < HANDOVER_CHECK.toNanos();
	}

	/**
	 * Each accepted write is in the ledger, and none was refused to who had its lock.
	 */
	private void checkWrites(String key, List<Attempt> granted) {
		Set<Entry> accepted = new HashSet<>(this.history.ledger());
		for (Attempt attempt : granted) {
			for (Write write : attempt.writes) {
				if (!write.key().equals(key)) {
					continue;
				}
				if (write.accepted() && !accepted.contains(new Entry(key, attempt.token(key), write.count()))) {
					add("Lost write of %d of '%s' by %s", write.count(), key, attempt.id);
				}
				if (!write.accepted() && !isRefusalExcused(attempt, granted)) {
					add("Refused write of '%s' by %s", key, attempt.id);
				}
			}
		}
	}

	private boolean isRefusalExcused(Attempt refused, List<Attempt> granted) {
		return refused.isLossTold() || refused.isCutOff() || switch (this.promise) {
			case NOTHING_LOST, LOSSES_TOLD -> false;
			case GRANTS_FORGOTTEN -> refused.outcome != Outcome.RELEASED
					|| granted.stream().anyMatch((other) -> mayEndUnasked(refused, other));
			case TWO_MASTERS -> true;
		};
	}

	/**
	 * Of what was written with a token nothing was undone: each write continues the one
	 * before.
	 */
	private void checkLedger() {
		Map<String, Entry> last = new HashMap<>();
		this.history.ledgerBefore().forEach((key, count) -> last.put(key, new Entry(key, 0, count)));
		for (Entry entry : this.history.ledger()) {
			Entry before = last.put(entry.key(), entry);
			if (before != null && (entry.count() != before.count() + 1 || entry.token() < before.token())) {
				add("The ledger has %s after %s", entry, before);
			}
		}
	}

}
