package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockUnavailableException;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;

/**
 * One caller's way to a lock that it does not hold yet: it waits for its turn among the
 * callers of this instance, which may bring the lock along. If not, attempts in the store
 * follow, each of which keeps the caller's place in the queue there, with a wait for a
 * wake-up between two of them.
 */
final class Acquisition {

	/**
	 * Longest time between two attempts: what a waiter loses by a wake-up that it misses.
	 */
	private static final Duration POLL_INTERVAL = Duration.ofMillis(450);

	/**
	 * How long the store keeps the place of a waiter that does not come back: what a dead
	 * waiter costs those behind it.
	 */
	private static final Duration PLACE_KEPT = POLL_INTERVAL.multipliedBy(2);

	private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);

	private static final Duration PAST_EXPIRY = Duration.ofMillis(1);

	private final Engine engine;

	private final Claimant claimant;

	private final Patience patience;

	private final StoreAttempts attempts;

	private Duration pause = POLL_INTERVAL;

	private @Nullable String holder;

	Acquisition(Engine engine, Terms terms, Owner owner, Patience patience) {
		this.engine = engine;
		this.patience = patience;
		this.claimant = new Claimant(terms, owner, engine.holds().isHolder(owner),
				patience.isOneTry() ? null : new QueuePlace(engine.nextPlaceId(owner, terms), PLACE_KEPT));
		this.attempts = new StoreAttempts(engine, this.claimant, patience);
	}

	/**
	 * Get the lock, or run out of patience.
	 * @return the hold, or {@code null} when the lock was not acquired in time
	 * @throws InterruptedException when interrupted, if the patience is interruptible
	 * @throws LockUnavailableException when the store cannot be asked
	 */
	@Nullable Hold run() throws InterruptedException {
		if (!this.patience.isOneTry()) {
			this.patience.noticeInterrupt();
		}
		Waiter waiter = this.claimant.standsInLine() ? awaitTurn() : this.engine.loneWaiters().enter(this.claimant);
		if (waiter == null) {
			return null;
		}
		Hold hold = null;
		try {
			hold = use(waiter);
			return hold;
		}
		finally {
			if (hold == null) {
				withdrawAndEnd(waiter);
			}
		}
	}

	/**
	 * Return who held the lock when it was last looked at, or {@code null} when that is
	 * not known.
	 */
	@Nullable String holder() {
		return this.holder;
	}

	private @Nullable Turn awaitTurn() throws InterruptedException {
		while (true) {
			this.engine.ensureOpen();
			Turn turn = this.engine.queues().enter(this.claimant);
			if (turn.await(this.patience)) {
				return turn;
			}
			this.holder = turn.sight().holder();
			if (this.patience.isOver()) {
				return giveUp(turn);
			}
		}
	}

	/**
	 * Take what whoever had its turn before has left, and get the lock.
	 */
	private @Nullable Hold use(Waiter waiter) throws InterruptedException {
		Handover handover = (waiter instanceof Turn turn) ? turn.takeHandover() : null;
		if (handover instanceof Handover.Held held) {
			Hold hold = accept(List.of(held.grant()), held.sentAt(), waiter);
			if (hold != null) {
				return hold;
			}
		}
		else if (handover instanceof Handover.Queued place) {
			this.attempts.queued(place.at());
		}
		else if (handover instanceof Handover.InDoubt) {
			this.attempts.inDoubt();
		}
		return compete(waiter);
	}

	private @Nullable Hold compete(Waiter waiter) throws InterruptedException {
		this.engine.ensureOpen();
		this.attempts.begin();
		boolean goesOnWaiting = this.attempts.isQueued() && !this.claimant.nested();
		Hold hold = (goesOnWaiting || this.patience.isTooLate()) ? null : attempt(waiter);
		while (hold == null && !this.patience.isOver()) {
			this.engine.ensureOpen();
			this.engine.store().listen(this.engine.wakeUps());
			waiter.awaitWakeUp(this.patience, this.pause.toNanos());
			hold = this.patience.isOver() ? null : attempt(waiter);
		}
		return (hold != null) ? hold : giveUp(waiter);
	}

	/**
	 * Try to get the lock once.
	 * @return the hold, or {@code null} when it is to be tried again after a pause
	 */
	private @Nullable Hold attempt(Waiter waiter) {
		waiter.expectWakeUp();
		this.engine.ensureOpen();
		long sentAt = this.engine.clock().nanos();
		Outcome outcome = this.attempts.ask(waiter.sight());
		if (outcome instanceof Granted granted) {
			waiter.granted();
			return accept(granted.grants(), sentAt, waiter);
		}
		if (outcome instanceof Denied denied) {
			this.holder = denied.holder();
			waiter.sight().holder(this.holder);
		}
		this.pause = pause(outcome);
		return null;
	}

	/**
	 * Make a hold of a grant, unless it comes too late: for the caller, or for its own
	 * lease.
	 */
	private @Nullable Hold accept(List<Grant> grants, long sentAt, Waiter waiter) {
		Lease lease = new Lease(this.engine.clock(), sentAt, this.claimant.terms().lease());
		HoldId id = this.claimant.holdId(grants);
		if (this.patience.isTooLate() || lease.isOver()) {
			this.attempts.giveBack(id);
			return null;
		}
		waiter.sight().holder(id.owner());
		return new Hold(id, this.claimant.terms(), this.claimant.owner(), waiter, this.engine.clock(), lease);
	}

	private <T> @Nullable T giveUp(Waiter waiter) {
		LockStoreException failure = waiter.sight().failure();
		if (failure != null) {
			throw this.attempts.unavailable(failure);
		}
		return null;
	}

	/**
	 * End the turn whatever happens: without that, nobody in this instance would ever get
	 * the lock again.
	 */
	private void withdrawAndEnd(Waiter waiter) {
		try {
			this.attempts.leaveNothingBehind();
		}
		finally {
			waiter.end();
		}
	}

	/**
	 * How long to wait for a wake-up before the next attempt.
	 */
	private static Duration pause(@Nullable Outcome outcome) {
		if (outcome instanceof Denied denied) {
			Duration remaining = denied.remaining();
			boolean endsSooner = !remaining.isNegative() && remaining.compareTo(POLL_INTERVAL) < 0;
			return endsSooner ? remaining.plus(PAST_EXPIRY) : POLL_INTERVAL;
		}
		return PAUSE_AFTER_FAILURE;
	}

}
