package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.holdfast.LockUnavailableException;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Incomplete;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;

/**
 * One caller's way to a lock that it does not hold yet: it waits for its turn among the
 * callers of this instance, which may bring the lock along. If not, attempts in the store
 * follow, each of which keeps the caller's place in the queue there, with a wait for a
 * wake-up between two of them.
 */
final class Acquisition {

	private static final Logger logger = LoggerFactory.getLogger(Acquisition.class);

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

	private Duration pause = POLL_INTERVAL;

	private long staleToken;

	private long queuedAt;

	private boolean queued;

	private boolean inDoubt;

	private @Nullable String holder;

	Acquisition(Engine engine, Terms terms, Owner owner, Patience patience) {
		this.engine = engine;
		this.patience = patience;
		this.claimant = new Claimant(terms, owner, engine.holds().isHolder(owner),
				patience.isOneTry() ? null : new QueuePlace(engine.nextPlaceId(owner, terms), PLACE_KEPT));
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
			this.queued = true;
			this.queuedAt = place.at();
		}
		else if (handover instanceof Handover.InDoubt) {
			this.inDoubt = true;
		}
		return compete(waiter);
	}

	private @Nullable Hold compete(Waiter waiter) throws InterruptedException {
		this.engine.ensureOpen();
		this.inDoubt |= this.engine.leftovers().claim(this.claimant.keys(), this.claimant.owner());
		this.staleToken = Math.max(this.staleToken, this.engine.tokens().greatest());
		Hold hold = (this.queued || this.patience.isTooLate()) ? null : attempt(waiter);
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
		Outcome outcome = ask(waiter.sight());
		if (outcome instanceof Granted granted) {
			seen(granted.grants());
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
	 * Ask the store once.
	 * @return its answer, or {@code null} when it could not be asked
	 */
	private @Nullable Outcome ask(Sight sight) {
		boolean inDoubtBefore = this.inDoubt;
		this.inDoubt = true;
		try {
			Outcome outcome = complete(this.engine.store().acquire(this.claimant.claim(this.staleToken)));
			this.inDoubt = inDoubtBefore;
			this.queued = (outcome instanceof Denied && this.claimant.isWaiting());
			this.queuedAt = this.engine.clock().nanos();
			sight.answered();
			return outcome;
		}
		catch (LockStoreException ex) {
			sight.failed(ex, this.engine.clock().nanos());
			if (!ex.isTransient() || isOutOfReach(sight)) {
				throw unavailable(ex);
			}
			logger.debug("Could not ask for lock '{}', trying again", this.claimant.terms().text(), ex);
			return null;
		}
	}

	/**
	 * Give back what is not enough.
	 * @return what stands in the way of the rest
	 * @throws LockStoreException when that has failed
	 */
	private Outcome complete(Outcome outcome) {
		if (!(outcome instanceof Incomplete incomplete)) {
			return outcome;
		}
		seen(incomplete.granted());
		giveBack(this.claimant.holdId(incomplete.granted()));
		if (incomplete.failure() != null) {
			throw incomplete.failure();
		}
		return Objects.requireNonNull(incomplete.denied());
	}

	private void seen(List<Grant> grants) {
		grants.forEach((grant) -> this.engine.tokens().seen(grant.token()));
	}

	/**
	 * Return whether the store has been out of reach for longer than a wait without limit
	 * puts up with. Any other wait has its own end.
	 */
	private boolean isOutOfReach(Sight sight) {
		Duration longest = this.engine.settings().waitFor();
		long outage = this.engine.clock().nanos() - sight.failingSince();
		return this.patience.isUnlimited() && !longest.isNegative() && outage >= MonotonicClock.toNanos(longest);
	}

	/**
	 * Make a hold of a grant, unless it comes too late: for the caller, or for its own
	 * lease.
	 */
	private @Nullable Hold accept(List<Grant> grants, long sentAt, Waiter waiter) {
		Lease lease = new Lease(this.engine.clock(), sentAt, this.claimant.terms().lease());
		HoldId id = this.claimant.holdId(grants);
		if (this.patience.isTooLate() || lease.isOver()) {
			giveBack(id);
			return null;
		}
		waiter.sight().holder(id.owner());
		return new Hold(id, this.claimant.terms(), this.claimant.owner(), waiter, this.engine.clock(), lease);
	}

	/**
	 * Give a grant back. If that does not get through, it must not be taken for the grant
	 * of the next attempt: it is going to be released.
	 */
	private void giveBack(HoldId granted) {
		granted.grants().forEach((grant) -> this.staleToken = Math.max(this.staleToken, grant.token()));
		this.engine.leftovers().giveBack(granted, this.claimant.terms().lease());
	}

	private <T> @Nullable T giveUp(Waiter waiter) {
		LockStoreException failure = waiter.sight().failure();
		if (failure != null) {
			throw unavailable(failure);
		}
		return null;
	}

	private LockUnavailableException unavailable(LockStoreException failure) {
		return new LockUnavailableException("Lock '%s' could not be acquired: %s"
			.formatted(this.claimant.terms().text(), NestedExceptionUtils.getMostSpecificCause(failure).getMessage()),
				failure);
	}

	/**
	 * End the turn whatever happens: without that, nobody in this instance would ever get
	 * the lock again.
	 */
	private void withdrawAndEnd(Waiter waiter) {
		try {
			withdraw();
		}
		finally {
			waiter.end();
		}
	}

	/**
	 * Leave nothing behind: no place in the queue, no grant whose reply was lost.
	 */
	private void withdraw() {
		QueuePlace place = this.claimant.place();
		if (this.queued && place != null) {
			this.engine.housekeeper().run(() -> leaveQueue(place));
		}
		if (this.inDoubt) {
			this.engine.leftovers()
				.clearAttempts(this.claimant.keys(), this.claimant.owner(), this.claimant.terms().lease());
		}
	}

	/**
	 * Give up the place in the queue, unless it is gone by now.
	 */
	private void leaveQueue(QueuePlace place) {
		if (this.engine.clock().nanos() - this.queuedAt > place.kept().toNanos()) {
			return;
		}
		this.engine.leftovers().leaveQueue(this.claimant.keys(), place.id());
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
