package io.holdfast.faults.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.Attempt.Section;
import io.holdfast.faults.history.History;

/**
 * What was granted later has a greater token. When it was granted, nobody saw: after it
 * was asked for, and before it was entered.
 */
final class TokensGrow implements Rule {

	@Override
	public List<String> violations(History history, Promise promise) {
		List<String> violations = new ArrayList<>();
		history.granted().forEach((key, granted) -> violations.addAll(violations(key, granted)));
		return violations;
	}

	private static List<String> violations(String key, List<Attempt> granted) {
		List<Attempt> entered = granted.stream()
			.sorted(Comparator.comparingLong((attempt) -> section(attempt).entered()))
			.toList();
		List<String> violations = new ArrayList<>();
		int next = 0;
		long greatest = 0;
		for (Attempt attempt : granted.stream().sorted(Comparator.comparingLong(Attempt::asked)).toList()) {
			while (section(entered.get(next)).entered() < attempt.asked()) {
				greatest = Math.max(greatest, token(entered.get(next++), key));
			}
			if (token(attempt, key) <= greatest) {
				violations.add("%s was granted '%s' with token %d after %d".formatted(attempt.id(), key,
						token(attempt, key), greatest));
			}
		}
		violations.addAll(repeated(key, granted));
		return violations;
	}

	private static List<String> repeated(String key, List<Attempt> granted) {
		List<String> violations = new ArrayList<>();
		List<Attempt> byToken = granted.stream()
			.sorted(Comparator.comparingLong((attempt) -> token(attempt, key)))
			.toList();
		for (int i = 1; i < byToken.size(); i++) {
			if (token(byToken.get(i - 1), key) == token(byToken.get(i), key)) {
				violations.add("%s and %s were granted '%s' with the same token".formatted(byToken.get(i - 1).id(),
						byToken.get(i).id(), key));
			}
		}
		return violations;
	}

	private static long token(Attempt attempt, String key) {
		return Objects.requireNonNull(section(attempt).tokens().get(key));
	}

	private static Section section(Attempt attempt) {
		return Objects.requireNonNull(attempt.section());
	}

}
