package io.holdfast.faults.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.Attempt.Section;
import io.holdfast.faults.history.Attempt.Write;
import io.holdfast.faults.history.History;
import io.holdfast.faults.history.LedgerEntry;
import io.holdfast.faults.history.Outcome;

/**
 * Of what was written with a token nothing was undone: each accepted write continues the
 * one before, and none was refused to who had its lock.
 */
final class UpdatesAreKept implements Rule {

	@Override
	public List<String> violations(History history, Promise promise) {
		List<String> violations = new ArrayList<>(gaps(history));
		Set<LedgerEntry> accepted = new HashSet<>(history.ledger());
		history.granted().forEach((key, granted) -> {
			for (Attempt attempt : granted) {
				section(attempt).writes()
					.stream()
					.filter((write) -> write.key().equals(key))
					.filter((write) -> write.accepted() ? !accepted.contains(entry(write, attempt))
							: !isExcused(attempt, promise, granted))
					.map((write) -> "%s of '%s' by %s".formatted(
							write.accepted() ? "Lost write of " + write.count() : "Refused write", key, attempt.id()))
					.forEach(violations::add);
			}
		});
		return violations;
	}

	private static List<String> gaps(History history) {
		List<String> violations = new ArrayList<>();
		Map<String, LedgerEntry> last = new HashMap<>();
		history.ledgerBefore().forEach((key, count) -> last.put(key, new LedgerEntry(key, 0, count)));
		for (LedgerEntry entry : history.ledger()) {
			LedgerEntry before = last.put(entry.key(), entry);
			if (before != null && (entry.count() != before.count() + 1 || entry.token() < before.token())) {
				violations.add("The ledger has %s after %s".formatted(entry, before));
			}
		}
		return violations;
	}

	private static boolean isExcused(Attempt refused, Promise promise, List<Attempt> granted) {
		return refused.isLossTold() || refused.isCutOff() || switch (promise) {
			case NOTHING_LOST, LOSSES_TOLD -> false;
			case GRANTS_FORGOTTEN -> refused.outcome() != Outcome.RELEASED
					|| granted.stream().anyMatch((other) -> Handovers.mayEndUnasked(refused, other));
			case TWO_MASTERS -> true;
		};
	}

	private static LedgerEntry entry(Write write, Attempt attempt) {
		long token = Objects.requireNonNull(section(attempt).tokens().get(write.key()));
		return new LedgerEntry(write.key(), token, write.count());
	}

	private static Section section(Attempt attempt) {
		return Objects.requireNonNull(attempt.section());
	}

}
