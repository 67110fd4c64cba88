package io.holdfast.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.ReleaseResult;
import org.jspecify.annotations.Nullable;

/**
 * One of the nested acquisitions of a hold: what its caller asked for, and whether it was
 * given up.
 */
class Entry {

	private final Hold hold;

	private final Terms terms;

	private final long openedAt;

	// Guarded by the hold
	private final List<Runnable> lossListeners = new ArrayList<>(0);

	private volatile @Nullable ReleaseResult result;

	private volatile boolean givenUp;

	private volatile boolean endsWithTransaction;

	// Counts from when the grant was known here, which is later than the grant
	private volatile long keptUntil;

	Entry(Hold hold, Terms terms) {
		this.hold = hold;
		this.terms = terms;
		this.openedAt = hold.now();
		this.keptUntil = this.openedAt + MonotonicClock.toNanos(terms.minHold());
	}

	Hold hold() {
		return this.hold;
	}

	Terms terms() {
		return this.terms;
	}

	@Nullable ReleaseResult result() {
		return this.result;
	}

	void result(ReleaseResult result) {
		this.result = result;
	}

	void giveUp() {
		this.givenUp = true;
	}

	public void noteUser() {
		this.hold.entries().user(Thread.currentThread());
	}

	public void noteTransaction() {
		this.endsWithTransaction = true;
	}

	boolean endsWithTransaction() {
		return this.endsWithTransaction;
	}

	public void noteUnused() {
		this.keptUntil = this.openedAt;
	}

	public void keepFor(Duration atLeast) {
		this.keptUntil = this.hold.now() + MonotonicClock.toNanos(atLeast);
	}

	long keptUntil() {
		return this.keptUntil;
	}

	void addLossListener(Runnable listener) {
		this.lossListeners.add(listener);
	}

	Stream<Runnable> lossListeners() {
		return this.lossListeners.stream();
	}

	@Nullable Duration wantedLease(long now) {
		Duration maxHold = this.terms.maxHold();
		boolean atMaxHold = maxHold != null && now - this.openedAt >= MonotonicClock.toNanos(maxHold);
		return (this.terms.autoRenew() && !this.givenUp && !atMaxHold) ? this.terms.lease() : null;
	}

}
