package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.LockUnavailableException;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Denied;
import io.holdfast.engine.LockStore.Granted;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Outcome;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;

/**
 * One caller's way to a lock that it does not hold yet: through the gate of the key, then
 * attempts in the store, each of which keeps the caller's place in the queue, with a wait
 * for a wake-up between two of them.
 */
final class Acquisition {

	private static final Logger logger = LoggerFactory.getLogger(Acquisition.class);

	/**
	 * Longest time between two attempts: what a waiter loses by a wake-up that it misses.
	 */
	private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

	/**
	 * How long the store keeps the place of a waiter that does not come back: what a dead
	 * waiter costs those behind it.
	 */
	private static final Duration PLACE_KEPT = POLL_INTERVAL.multipliedBy(2);

	private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);

	private static final Duration PAST_EXPIRY = Duration.ofMillis(1);

	private final Engine engine;

	private final Terms terms;

	private final Owner owner;

	private final Patience patience;

	private final @Nullable QueuePlace place;

	private long staleToken;

	private long queuedAt;

	private boolean queued;

	private boolean inDoubt;

	private @Nullable LockStoreException failure;

	private @Nullable Patience outage;

	private @Nullable String holder;

	Acquisition(Engine engine, Terms terms, Owner owner, Patience patience) {
		this.engine = engine;
		this.terms = terms;
		this.owner = owner;
		this.patience = patience;
		this.place = patience.isOneTry() ? null : new QueuePlace(engine.nextPlaceId(owner), PLACE_KEPT);
	}

	/**
	 * Get the lock, or run out of patience.
	 * @return the hold, or {@code null} when the lock was not acquired in time
	 * @throws InterruptedException when interrupted, if the patience is interruptible
	 * @throws LockUnavailableException when the store cannot be asked
	 */
	@Nullable Hold run() throws InterruptedException {
		Gates.Passage passage = this.engine.gates().enter(this.terms.key(), this.patience);
		if (passage == null) {
			this.holder = this.engine.gates().holder(this.terms.key());
			return null;
		}
		Hold hold = null;
		try {
			hold = compete(passage);
			return hold;
		}
		finally {
			if (hold == null) {
				withdraw();
				passage.close();
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

	private @Nullable Hold compete(Gates.Passage passage) throws InterruptedException {
		Gate gate = passage.gate();
		this.engine.ensureOpen();
		this.engine.leftovers().claim(this.terms.key(), this.owner);
		this.staleToken = this.engine.tokens().greatest();
		while (true) {
			gate.expectWakeUp();
			this.engine.ensureOpen();
			long sentAt = this.engine.clock().nanos();
			Outcome outcome = attempt();
			if (outcome instanceof Granted granted) {
				Hold hold = accept(granted, sentAt, passage);
				if (hold != null) {
					return hold;
				}
			}
			else if (outcome instanceof Denied denied) {
				this.holder = denied.holder();
				gate.holder(this.holder);
			}
			if (this.patience.isOver()) {
				return giveUp();
			}
			this.engine.ensureOpen();
			this.engine.store().listen(this.engine.gates());
			gate.awaitWakeUp(this.patience, pause(outcome));
			if (this.patience.isOver()) {
				return giveUp();
			}
		}
	}

	/**
	 * Ask the store once.
	 * @return its answer, or {@code null} when it could not be asked
	 */
	private @Nullable Outcome attempt() {
		try {
			Outcome outcome = this.engine.store()
				.acquire(new Claim(this.terms.key(), this.owner.id(), this.terms.lease(), this.staleToken, this.place));
			this.queued = (outcome instanceof Denied && this.place != null);
			this.queuedAt = this.engine.clock().nanos();
			this.failure = null;
			this.outage = null;
			return outcome;
		}
		catch (LockStoreException ex) {
			this.inDoubt = true;
			this.failure = ex;
			if (!ex.isTransient() || isOutOfReach()) {
				throw unavailable(ex);
			}
			logger.debug("Could not ask for lock '{}', trying again", this.terms.key(), ex);
			return null;
		}
	}

	/**
	 * Return whether the store has been out of reach for longer than a wait without limit
	 * puts up with. Any other wait has its own end.
	 */
	private boolean isOutOfReach() {
		if (this.outage == null) {
			this.outage = this.engine.outagePatience();
		}
		return this.patience.isUnlimited() && this.outage.isOver();
	}

	/**
	 * Make a hold of a grant, unless it comes too late: for the caller, or for its own
	 * lease.
	 */
	private @Nullable Hold accept(Granted granted, long sentAt, Gates.Passage passage) {
		this.engine.tokens().seen(granted.token());
		HoldId id = new HoldId(this.terms.key(), this.owner.id(), granted.token());
		Lease lease = new Lease(this.engine.clock(), sentAt, this.terms.lease());
		Hold hold = new Hold(id, this.terms, this.owner, passage, this.engine.clock(), lease);
		if (this.patience.isTooLate() || lease.isOver()) {
			giveBack(hold);
			return null;
		}
		passage.gate().holder(this.owner.id());
		return hold;
	}

	/**
	 * Give a grant back. If that does not get through, it must not be taken for the grant
	 * of the next attempt: it is going to be released.
	 */
	private void giveBack(Hold hold) {
		this.staleToken = Math.max(this.staleToken, hold.id().token());
		try {
			this.engine.store().release(hold.id(), 0);
		}
		catch (LockStoreException ex) {
			this.engine.leftovers().clear(hold);
		}
	}

	private @Nullable Hold giveUp() {
		if (this.failure != null) {
			throw unavailable(this.failure);
		}
		return null;
	}

	private LockUnavailableException unavailable(LockStoreException failure) {
		return new LockUnavailableException("Lock '%s' could not be acquired: %s".formatted(this.terms.key(),
				NestedExceptionUtils.getMostSpecificCause(failure).getMessage()), failure);
	}

	/**
	 * Leave nothing behind: no place in the queue, no grant whose reply was lost.
	 */
	private void withdraw() {
		QueuePlace place = this.place;
		if (this.queued && place != null) {
			this.engine.housekeeper().run(() -> leaveQueue(place));
		}
		if (this.inDoubt) {
			this.engine.leftovers().clearAttempts(this.terms.key(), this.owner, this.terms.lease());
		}
	}

	/**
	 * Give up the place in the queue, unless it is gone by now.
	 */
	private void leaveQueue(QueuePlace place) {
		if (this.engine.clock().nanos() - this.queuedAt > place.kept().toNanos()) {
			return;
		}
		try {
			this.engine.store().leave(this.terms.key(), place.id());
		}
		catch (LockStoreException ex) {
			logger.debug("Could not leave the queue for lock '{}'; the place runs out by itself", this.terms.key(), ex);
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
