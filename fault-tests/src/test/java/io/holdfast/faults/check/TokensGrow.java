package io.holdfast.faults.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.BiPredicate;

import io.holdfast.faults.history.Attempt;
import io.holdfast.faults.history.Attempt.Section;
import io.holdfast.faults.history.History;

/**
 * What was granted later has a greater token. When it was granted, nobody saw: after it
 * was asked for, and before it was entered. Where Redis may forget a grant, the callers
 * of its instance may pass that on for a moment.
 */
final class TokensGrow implements Rule {

	@Override
	public List<String> violations(History history, Promise promise) {
		List<String> violations = new ArrayList<>();
		history.granted()
			.forEach((key, granted) -> violations
				.addAll(violations(key, granted, (later, earlier) -> promise.compareTo(Promise.GRANTS_FORGOTTEN) >= 0
						&& Handovers.mayBeginUnasked(later, earlier, history))));
		return violations;
	}

	private static List<String> violations(String key, List<Attempt> granted, BiPredicate<Attempt, Attempt> excused) {
		List<Attempt> entered = granted.stream()
			.sorted(Comparator.comparingLong((attempt) -> section(attempt).entered()))
			.toList();
		List<String> violations = new ArrayList<>();
		int next = 0;
		Attempt greatest = null;
		for (Attempt attempt : granted.stream().sorted(Comparator.comparingLong(Attempt::asked)).toList()) {
			while (section(entered.get(next)).entered() < attempt.asked()) {
				Attempt before = entered.get(next++);
				greatest = (greatest == null || token(before, key) > token(greatest, key)) ? before : greatest;
			}
			if (greatest != null && token(attempt, key) <= token(greatest, key) && !excused.test(attempt, greatest)) {
				violations.add("%s was granted '%s' with token %d after %d".formatted(attempt.id(), key,
						token(attempt, key), token(greatest, key)));
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
