package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockUnavailableException;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * A caller whose turn it is gets the lock: from whoever had its turn before, or from the
 * store, in attempts each of which keeps the caller's place in the queue there, with a
 * wait for a wake-up between two of them.
 */
final class Competition {

	/**
	 * Longest time between two attempts, unless the engine is made otherwise: what a
	 * waiter loses by a wake-up that it misses.
	 */
	static final Duration POLL_INTERVAL = Duration.ofMillis(450);

	/**
	 * Time until the store is asked again that could not be asked.
	 */
	static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);

	private static final Duration PAST_EXPIRY = Duration.ofMillis(1);

	private final Engine engine;

	private final Claimant claimant;

	private final Patience patience;

	private final Waiter waiter;

	private final StoreAttempts attempts;

	private Duration pause;

	private boolean begun;

	/**
	 * What the store has granted, until it is a hold.
	 */
	private @Nullable HoldId granted;

	private @Nullable Hold hold;

	private boolean taken;

	private volatile @Nullable String holder;

	Competition(Engine engine, Claimant claimant, Patience patience, StoreAttempts attempts, Waiter waiter) {
		this.engine = engine;
		this.claimant = claimant;
		this.patience = patience;
		this.waiter = waiter;
		this.attempts = attempts;
		this.pause = engine.pace().poll();
	}

	boolean hasBegun() {
		return this.begun;
	}

	/**
	 * Take the hold, if there is one: from now on it is up to the caller to end it.
	 */
	@Nullable Hold takeHold() {
		this.taken = this.hold != null;
		return this.hold;
	}

	@Nullable String holder() {
		return this.holder;
	}

	/**
	 * Take what whoever had its turn before has left, and get the lock. Who is left
	 * nothing asks at least once, however short it waits.
	 * @return what to wait for before going on, or {@code null} when it is decided
	 * @throws LockUnavailableException when the store cannot be asked
	 */
	@Nullable Pause begin() {
		this.begun = true;
		Handover handover = takeHandover();
		if (handover instanceof Handover.Held held) {
			accept(held.granted(), held.sentAt(), this.patience.isOver());
		}
		else if (handover == null || this.claimant.nested()) {
			attempt(true);
		}
		return pauseUnlessDecided();
	}

	/**
	 * Try again, after a pause.
	 * @return what to wait for before going on, or {@code null} when it is decided
	 * @throws LockUnavailableException when the store cannot be asked
	 */
	@Nullable Pause goOn() {
		if (!this.patience.isOver()) {
			attempt(false);
		}
		return pauseUnlessDecided();
	}

	private @Nullable Pause pauseUnlessDecided() {
		if (this.hold != null) {
			return null;
		}
		if (this.patience.isOver()) {
			this.attempts.throwIfUnavailable(this.waiter.sight());
			return null;
		}
		this.engine.ensureMayWait();
		this.engine.listen();
		return this.patience.until(this.waiter::isWoken, this.pause.toNanos());
	}

	/**
	 * Take over what whoever had its turn before has left.
	 */
	private @Nullable Handover takeHandover() {
		Handover handover = (this.waiter instanceof Turn turn) ? turn.takeHandover() : null;
		if (handover instanceof Handover.Queued place) {
			this.attempts.queued(place.at());
		}
		return handover;
	}

	/**
	 * Try to get the lock once. If that fails, it is to be tried again after a pause.
	 * @param first whether the grant counts however late it comes
	 */
	private void attempt(boolean first) {
		this.waiter.expectWakeUp();
		this.engine.ensureOpen();
		long sentAt = this.engine.runtime().nanos();
		Outcome outcome = this.attempts.ask(this.waiter.sight());
		if (outcome instanceof Granted granted) {
			this.waiter.granted();
			accept(this.attempts.granted(granted), sentAt, !first && this.patience.isOver());
			return;
		}
		if (outcome instanceof Denied denied) {
			this.holder = denied.holder();
			this.waiter.sight().holder(this.holder);
		}
		this.pause = pause(outcome);
	}

	/**
	 * Make a hold of a grant, unless it comes too late: for the caller, or for its own
	 * lease.
	 */
	private void accept(HoldId id, long sentAt, boolean tooLate) {
		this.granted = id;
		Lease lease = new Lease(this.engine.runtime(), sentAt, this.claimant.terms().lease());
		if (tooLate || lease.isOver()) {
			giveBack();
			this.pause = PAUSE_AFTER_FAILURE;
			return;
		}
		this.waiter.sight().holder(id.owner());
		this.hold = new Hold(id, this.claimant.terms(), this.claimant.owner(), this.waiter, this.engine.runtime(),
				lease);
	}

	private void giveBack() {
		HoldId unused = this.granted;
		if (unused != null) {
			this.attempts.giveBack(unused);
			this.granted = null;
		}
	}

	/**
	 * Leave nothing behind but the hold, if it was taken. Without one, the turn ends
	 * whatever happens, or nobody in this instance would ever get the lock again.
	 */
	void end() {
		if (this.taken) {
			this.attempts.withdrawUnanswered();
			return;
		}
		try {
			if (takeHandover() instanceof Handover.Held unused) {
				this.granted = unused.granted();
			}
			giveBack();
			this.attempts.leaveNothingBehind();
		}
		finally {
			this.waiter.end();
		}
	}

	/**
	 * How long to wait for a wake-up before the next attempt.
	 */
	private Duration pause(@Nullable Outcome outcome) {
		if (outcome instanceof Denied denied) {
			Duration remaining = denied.remaining();
			Duration poll = this.engine.pace().poll();
			boolean endsSooner = !remaining.isNegative() && remaining.compareTo(poll) < 0;
			return endsSooner ? remaining.plus(PAST_EXPIRY) : poll;
		}
		return PAUSE_AFTER_FAILURE;
	}

}
