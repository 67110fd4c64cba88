package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.ReleaseResult;
import io.holdfast.concurrent.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * One of the nested acquisitions of a {@link Hold}: what its caller asked for, and
 * whether it was given up.
 */
final class HoldEntry {

	private final Terms terms;

	private final MonotonicClock clock;

	private final long openedAt;

	/**
	 * Guarded by the hold.
	 */
	private final List<Runnable> lossListeners = new ArrayList<>(0);

	private volatile @Nullable ReleaseResult result;

	private volatile boolean givenUp;

	private volatile boolean unused;

	HoldEntry(Terms terms, MonotonicClock clock) {
		this.terms = terms;
		this.clock = clock;
		this.openedAt = clock.nanos();
	}

	Terms terms() {
		return this.terms;
	}

	boolean isExclusive() {
		return this.terms.mode() == LockMode.EXCLUSIVE;
	}

	List<Runnable> lossListeners() {
		return this.lossListeners;
	}

	/**
	 * Return the result of its release, or {@code null} before that.
	 */
	@Nullable ReleaseResult result() {
		return this.result;
	}

	void result(ReleaseResult result) {
		this.result = result;
	}

	/**
	 * Note that it is to be released. If its own thread fails, the watchdog does it.
	 */
	void giveUp() {
		this.givenUp = true;
	}

	boolean isGivenUp() {
		return this.givenUp;
	}

	/**
	 * Note that nothing was done under the lock: its release does not keep the keys.
	 */
	void noteUnused() {
		this.unused = true;
	}

	/**
	 * Return the lease to renew its hold with.
	 * @return the lease, or {@code null} if it wants no renewal any more
	 */
	@Nullable Duration wantedLease() {
		return (this.terms.autoRenew() && !this.givenUp && !isHeldLongEnough()) ? this.terms.lease() : null;
	}

	private boolean isHeldLongEnough() {
		Duration maxHold = this.terms.maxHold();
		return maxHold != null && this.clock.nanos() - this.openedAt >= MonotonicClock.toNanos(maxHold);
	}

	/**
	 * Return until when the keys stay taken even if it is released earlier. Counts from
	 * when the grant was known here, which is later than the grant.
	 */
	long keptUntil() {
		return this.unused ? this.openedAt : this.openedAt + MonotonicClock.toNanos(this.terms.minHold());
	}

}
