package io.holdfast.engine.simulation;

import java.util.HashMap;
import java.util.Map;

import io.holdfast.LockInterruptedException;
import io.holdfast.LockUnavailableException;
import io.holdfast.LockUpgradeException;
import org.jspecify.annotations.Nullable;

/**
 * A caller waits for no longer than it wanted, apart from answers of the store, and is
 * told why it has not got the lock.
 */
final class WaitsEnd extends Rule {

	private static final long SLACK = 20_000_000;

	private final Map<Thread, Integer> refused = new HashMap<>();

	@Override
	void entered(Section section) {
		checkTime(section.attempt());
	}

	@Override
	void refused(Attempt attempt, @Nullable Throwable failure) {
		checkTime(attempt);
		this.refused.merge(attempt.thread(), 1, Integer::sum);
		if (failure == null) {
			if (attempt.waitFor() < 0 && !attempt.isCancelled()) {
				this.scene.violation("%s was refused", attempt);
			}
		}
		else if (!isExpected(attempt, failure)) {
			this.scene.violation("%s ended with %s", attempt, failure);
		}
	}

	private void checkTime(Attempt attempt) {
		long calls = 4 + 2L * (attempt.keys().size() + attempt.around().size()) + withdrawals(attempt);
		long late = this.scene.now() - attempt.asked() - attempt.waitFor();
		long allowed = calls * this.circumstances.callTime + SLACK + attempt.stalled();
		if (attempt.waitFor() >= 0 && !attempt.instance().isDead() && late > allowed) {
			this.scene.violation("%s took %d us too long", attempt, late / 1000);
		}
	}

	/**
	 * Return how many requests of a caller that had no answer it may have to withdraw
	 * before it asks again.
	 */
	private int withdrawals(Attempt attempt) {
		return this.circumstances.isUndisturbed() ? 0 : this.refused.getOrDefault(attempt.thread(), 0);
	}

	private boolean isLeaseShort(Attempt attempt) {
		return attempt.lease() <= 2 * this.circumstances.callTime + attempt.stalled();
	}

	private boolean isExpected(Attempt attempt, Throwable failure) {
		if (failure instanceof LockUpgradeException) {
			return attempt.around().stream().anyMatch(Section::isShared);
		}
		if (failure instanceof LockInterruptedException || failure instanceof InterruptedException) {
			return attempt.instance().isInterrupted(attempt.thread());
		}
		if (failure instanceof LockUnavailableException) {
			return attempt.instance().isStopping() || !this.circumstances.isUndisturbed() || isLeaseShort(attempt);
		}
		return false;
	}

}
