package io.holdfast.engine.simulation.check;

import java.util.Map;

import io.holdfast.engine.simulation.load.Section;
import io.holdfast.engine.simulation.store.Grants;
import io.holdfast.engine.simulation.store.Grants.End;
import io.holdfast.engine.simulation.store.Grants.Grant;
import io.holdfast.engine.simulation.store.StoreCall;
import org.jspecify.annotations.Nullable;

/**
 * Nobody releases what a caller is told that it holds, but that caller.
 */
final class GrantsLast extends Rule {

	private final Report report;

	private final OpenSections open;

	private final Grants grants;

	private final Circumstances circumstances;

	GrantsLast(Report report, OpenSections open, Grants grants, Circumstances circumstances) {
		this.report = report;
		this.open = open;
		this.grants = grants;
		this.circumstances = circumstances;
	}

	@Override
	void ended(Grant grant, End end, @Nullable StoreCall<?> call) {
		if (isOwnFault(end)) {
			this.open.held()
				.filter((section) -> section.tokens().containsKey(grant.key())
						&& this.grants.find(grant.key(), section.owner(), section.tokens().get(grant.key())) == grant)
				.forEach((section) -> this.report.violation("%s is held, and %s by %s".formatted(section, end, call)));
		}
	}

	@Override
	void entered(Section section) {
		for (Map.Entry<String, Long> token : section.tokens().entrySet()) {
			Grant grant = this.grants.find(token.getKey(), section.owner(), token.getValue());
			if (grant != null && isOwnFault(grant.end()) && section.isHeld()) {
				this.report.violation("%s begins, but %s".formatted(section, grant));
			}
		}
	}

	/**
	 * A clock that was set back makes new tokens look like old ones.
	 */
	private boolean isOwnFault(@Nullable End end) {
		return end == End.RELEASED || (end == End.REPLACED && !this.circumstances.isClockSetBack());
	}

}
