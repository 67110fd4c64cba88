package io.holdfast.engine.simulation.check;

import io.holdfast.LockInterruptedException;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockUpgradeException;
import io.holdfast.engine.simulation.load.Attempt;
import io.holdfast.engine.simulation.load.Section;
import io.holdfast.engine.simulation.schedule.InjectedError;
import org.jspecify.annotations.Nullable;

/**
 * A caller waits for no longer than it wanted, apart from answers of the store, and is
 * told why it has not got the lock.
 */
final class WaitsEnd extends Rule {

	private static final long SLACK = 20_000_000;

	private final Report report;

	private final Circumstances circumstances;

	WaitsEnd(Report report, Circumstances circumstances) {
		this.report = report;
		this.circumstances = circumstances;
	}

	@Override
	void entered(Section section) {
		checkTime(section.attempt());
	}

	@Override
	void refused(Attempt attempt, @Nullable Throwable failure) {
		checkTime(attempt);
		if (failure == null) {
			if (attempt.isUnlimited() && !attempt.isCancelled()) {
				this.report.violation(attempt + " was refused");
			}
		}
		else if (!isExpected(attempt, failure)) {
			this.report.violation(attempt + " ended with " + failure);
		}
	}

	private void checkTime(Attempt attempt) {
		long calls = 4 + 2L * (attempt.keys().size() + attempt.around().size());
		long late = this.report.now() - attempt.asked() - attempt.waitFor();
		long allowed = calls * this.circumstances.callTime() + SLACK + this.circumstances.retries() + attempt.stalled();
		if (!attempt.isUnlimited() && !attempt.instance().isDead() && late > allowed) {
			this.report.violation("%s took %d us too long".formatted(attempt, late / 1000));
		}
	}

	/**
	 * Return whether its lease may be over when the answer arrives that grants the lock.
	 */
	private boolean isLeaseShort(Attempt attempt) {
		return attempt.instance().lease(attempt.request()).toNanos() <= 2 * this.circumstances.callTime()
				+ attempt.stalled();
	}

	private boolean isExpected(Attempt attempt, Throwable failure) {
		if (failure instanceof LockUpgradeException) {
			return attempt.around().stream().anyMatch(Section::isShared);
		}
		if (failure instanceof LockInterruptedException || failure instanceof InterruptedException) {
			return attempt.instance().isInterrupted(attempt.thread());
		}
		if (failure instanceof LockUnavailableException) {
			return attempt.instance().isStopping() || !this.circumstances.isUndisturbed()
					|| this.circumstances.isErrorThrown() || isLeaseShort(attempt);
		}
		return failure instanceof InjectedError;
	}

}
