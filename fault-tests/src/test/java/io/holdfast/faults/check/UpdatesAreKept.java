package io.holdfast.faults.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.holdfast.faults.history.Attempt;
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
		for (Attempt attempt : history.attempts()) {
			if (attempt.section() != null) {
				attempt.section()
					.writes()
					.stream()
					.filter((write) -> !isRight(write, attempt, accepted, promise))
					.map((write) -> "%s of '%s' by %s".formatted(
							write.accepted() ? "Lost write of " + write.count() : "Refused write", write.key(),
							attempt.id()))
					.forEach(violations::add);
			}
		}
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

	private static boolean isRight(Write write, Attempt attempt, Set<LedgerEntry> ledger, Promise promise) {
		if (write.accepted()) {
			long token = Objects.requireNonNull(Objects.requireNonNull(attempt.section()).tokens().get(write.key()));
			return ledger.contains(new LedgerEntry(write.key(), token, write.count()));
		}
		return attempt.isLossTold() || attempt.isCutOff() || switch (promise) {
			case NOTHING_LOST, LOSSES_TOLD -> false;
			case GRANTS_FORGOTTEN -> attempt.outcome() != Outcome.RELEASED;
			case TWO_MASTERS -> true;
		};
	}

}
