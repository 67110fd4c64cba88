package io.holdfast.engine.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.engine.simulation.Grants.Grant;

/**
 * A section has a greater token than any that had begun when it was asked for, unless it
 * is nested in one of them, or the store has lost its grant meanwhile.
 */
final class TokensGrow extends Rule {

	private final Map<String, List<Begun>> begun = new HashMap<>();

	@Override
	void entered(Section section) {
		section.tokens().forEach((key, token) -> {
			List<Begun> before = this.begun.computeIfAbsent(key, (k) -> new ArrayList<>());
			if (!isNested(section, key, token)) {
				long greatest = greatest(before, section.attempt().asked());
				if (token <= greatest && !isLost(section, key, token) && !this.circumstances.clockSetBack) {
					this.scene.violation("token of %s is not above %d", section, greatest);
				}
			}
			long last = before.isEmpty() ? 0 : before.get(before.size() - 1).greatest();
			before.add(new Begun(this.scene.now(), Math.max(last, token)));
		});
	}

	private boolean isLost(Section section, String key, long token) {
		Grant grant = this.scene.grants().find(key, section.attempt().instance() + ":", token);
		return grant != null && grant.lost;
	}

	private static boolean isNested(Section section, String key, long token) {
		return section.attempt()
			.around()
			.stream()
			.anyMatch(
					(outer) -> outer.owner().equals(section.owner()) && outer.tokens().getOrDefault(key, -1L) == token);
	}

	private static long greatest(List<Begun> before, long asked) {
		for (int i = before.size() - 1; i >= 0; i--) {
			if (before.get(i).at() < asked) {
				return before.get(i).greatest();
			}
		}
		return 0;
	}

	private record Begun(long at, long greatest) {
	}

}
