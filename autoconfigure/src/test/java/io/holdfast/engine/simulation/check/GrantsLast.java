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
		if (isOwnFault(grant)) {
			this.open.held()
				.filter((section) -> !section.attempt().instance().isStoppedBy(section.owner()))
				.filter((section) -> section.tokens().containsKey(grant.key())
						&& this.grants.find(grant.key(), section.owner(), section.tokens().get(grant.key())) == grant)
				.forEach((section) -> this.report.violation("%s is held, and %s by %s".formatted(section, end, call)));
		}
	}

	@Override
	void entered(Section section) {
		for (Map.Entry<String, Long> token : section.tokens().entrySet()) {
			Grant grant = this.grants.find(token.getKey(), section.owner(), token.getValue());
			if (grant != null && isOwnFault(grant) && section.isHeld()) {
				this.report.violation("%s begins, but %s".formatted(section, grant));
			}
		}
	}

	/**
	 * A clock that was set back makes new tokens look like old ones. Of several keys an
	 * instance lets go of the others when one was released by force.
	 */
	private boolean isOwnFault(Grant grant) {
		return grant.end() == End.RELEASED || (grant.end() == End.REPLACED && !this.circumstances.isClockSetBack()
				&& this.grants.ofSameHold(grant).noneMatch((other) -> other.end() == End.FORCED));
	}

}
