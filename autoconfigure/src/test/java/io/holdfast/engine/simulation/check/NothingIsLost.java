package io.holdfast.engine.simulation.check;

import io.holdfast.LockSnapshot;
import io.holdfast.engine.simulation.load.Attempt;
import io.holdfast.engine.simulation.load.Instance;
import io.holdfast.engine.simulation.load.Section;

/**
 * Where nothing is wrong, a lock that is renewed is not lost.
 */
final class NothingIsLost extends Rule {

	private final Report report;

	private final OpenSections open;

	private final Circumstances circumstances;

	NothingIsLost(Report report, OpenSections open, Circumstances circumstances) {
		this.report = report;
		this.open = open;
		this.circumstances = circumstances;
	}

	@Override
	void lost(Instance instance, LockSnapshot lock, Throwable cause) {
		if (!this.circumstances.isUndisturbed() || instance.isStopping()) {
			return;
		}
		this.open.all()
			.filter((section) -> isOf(section, lock) && isRenewed(section.attempt()))
			.forEach((section) -> this.report.violation("%s is lost: %s".formatted(section, cause.getMessage())));
	}

	private static boolean isOf(Section section, LockSnapshot lock) {
		return section.owner().equals(lock.owner())
				&& section.tokens().getOrDefault(lock.keys().get(0), -1L) == lock.fencingToken();
	}

	private boolean isRenewed(Attempt attempt) {
		long lease = attempt.instance().lease(attempt.request()).toNanos();
		return attempt.request().maxHold() == null && !Boolean.FALSE.equals(attempt.request().autoRenew())
				&& attempt.thread().isAlive()
				&& attempt.stalled() + 3 * this.circumstances.callTime() + this.circumstances.retries() < lease / 3;
	}

}
