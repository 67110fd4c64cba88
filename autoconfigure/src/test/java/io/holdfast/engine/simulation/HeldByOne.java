package io.holdfast.engine.simulation;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.holdfast.engine.simulation.Grants.End;
import io.holdfast.engine.simulation.Grants.Grant;
import org.jspecify.annotations.Nullable;

/**
 * No two owners are told at once that they hold a lock, unless both share it, or the
 * server has forgotten one of them; and no more than there are permits. Nobody releases
 * what a caller is told that it holds, but that caller.
 */
final class HeldByOne extends Rule {

	@Override
	void entered(Section section) {
		check();
		checkPermits(section);
		section.tokens().forEach((key, token) -> {
			Grant grant = find(section, key);
			if (grant != null && isEndedByUs(grant) && section.isHeld()) {
				this.scene.violation("%s begins, but %s", section, grant);
			}
		});
	}

	@Override
	void leaving(Section section) {
		check();
	}

	@Override
	void ended(Grant grant, End end, @Nullable StoreCall<?> call) {
		if (isEndedByUs(grant)) {
			this.scene.held()
				.filter((section) -> !section.attempt().instance().isStoppedBy(section.owner()))
				.filter((section) -> find(section, grant.key()) == grant)
				.forEach((section) -> this.scene.violation("%s is held, and %s by %s", section, end, call));
		}
	}

	private @Nullable Grant find(Section section, String key) {
		Long token = section.tokens().get(key);
		return (token != null) ? this.scene.grants().find(key, section.owner(), token) : null;
	}

	/**
	 * A clock that was set back makes new tokens look like old ones. Of several keys an
	 * instance lets go of the others when one was released by force.
	 */
	private boolean isEndedByUs(Grant grant) {
		return grant.end == End.RELEASED || (grant.end == End.REPLACED && !this.circumstances.clockSetBack
				&& this.scene.grants().ofSameHold(grant).noneMatch((other) -> other.end == End.FORCED));
	}

	private void check() {
		List<Section> held = this.scene.held().toList();
		for (int i = 0; i < held.size(); i++) {
			for (int j = 0; j < i; j++) {
				if (areInTheWay(held.get(i), held.get(j)) && !isForgotten(held.get(i)) && !isForgotten(held.get(j))) {
					this.scene.violation("held by two: %s and %s", held.get(j), held.get(i));
				}
			}
		}
	}

	// All that have smaller tokens, and hold it still, held it when it was granted
	private void checkPermits(Section section) {
		int permits = section.attempt().request().permits();
		if (permits == 0 || !section.isHeld() || !section.isOwnerKnown() || !isOutermost(section)) {
			return;
		}
		section.tokens().forEach((key, token) -> {
			Set<String> before = this.scene.held()
				.filter((other) -> other.tokens().getOrDefault(key, token) < token && !isForgotten(other))
				.map(Section::owner)
				.collect(Collectors.toCollection(TreeSet::new));
			if (before.size() >= permits && !isForgotten(section)) {
				this.scene.violation("%s has got one of %d permits beside %s", section, permits, before);
			}
		});
	}

	private static boolean isOutermost(Section section) {
		return section.attempt()
			.around()
			.stream()
			.noneMatch(
					(outer) -> outer.owner().equals(section.owner()) && outer.attempt().isForSame(section.attempt()));
	}

	private static boolean areInTheWay(Section one, Section other) {
		boolean share = one.isShared() && other.isShared();
		return !share && !one.owner().equals(other.owner())
				&& one.tokens().keySet().stream().anyMatch(other.tokens()::containsKey);
	}

	/**
	 * Return whether the server no longer has what it has granted, through no fault of
	 * any instance.
	 */
	private boolean isForgotten(Section section) {
		for (Map.Entry<String, Long> token : section.tokens().entrySet()) {
			Grant grant = find(section, token.getKey());
			End end = (grant != null) ? grant.end : null;
			if (end == End.DATA_LOST || end == End.FORCED
					|| (end == End.EXPIRED && (this.circumstances.clockSet || this.circumstances.dataLost))) {
				return true;
			}
		}
		return false;
	}

}
