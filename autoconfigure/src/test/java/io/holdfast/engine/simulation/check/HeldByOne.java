package io.holdfast.engine.simulation.check;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.holdfast.engine.simulation.load.Section;
import io.holdfast.engine.simulation.store.Grants;
import io.holdfast.engine.simulation.store.Grants.End;
import io.holdfast.engine.simulation.store.Grants.Grant;

/**
 * No two owners are told at once that they hold a lock, unless both share it, or the
 * server has forgotten one of them; and no more than there are permits.
 */
final class HeldByOne extends Rule {

	private final Report report;

	private final OpenSections open;

	private final Grants grants;

	private final Circumstances circumstances;

	HeldByOne(Report report, OpenSections open, Grants grants, Circumstances circumstances) {
		this.report = report;
		this.open = open;
		this.grants = grants;
		this.circumstances = circumstances;
	}

	@Override
	void entered(Section section) {
		check();
		checkPermits(section);
	}

	@Override
	void leaving(Section section) {
		check();
	}

	private void check() {
		List<Section> held = this.open.held().toList();
		for (int i = 0; i < held.size(); i++) {
			for (int j = 0; j < i; j++) {
				if (areInTheWay(held.get(i), held.get(j)) && !isForgotten(held.get(i)) && !isForgotten(held.get(j))) {
					this.report.violation("held by two: " + held.get(j) + " and " + held.get(i));
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
			Set<String> before = this.open.held()
				.filter((other) -> other.tokens().getOrDefault(key, token) < token && !isForgotten(other))
				.map(Section::owner)
				.collect(Collectors.toCollection(TreeSet::new));
			if (before.size() >= permits && !isForgotten(section)) {
				this.report.violation("%s has got one of %d permits beside %s".formatted(section, permits, before));
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
			Grant grant = this.grants.find(token.getKey(), section.owner(), token.getValue());
			End end = (grant != null) ? grant.end() : null;
			if (end == End.DATA_LOST || end == End.FORCED
					|| (end == End.EXPIRED && (this.circumstances.isClockSet() || this.circumstances.isDataLost()))) {
				return true;
			}
		}
		return false;
	}

}
