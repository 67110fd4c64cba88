package io.holdfast.engine;

import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.Transfer;
import io.holdfast.engine.LockStore.Transferred;
import io.holdfast.engine.LockStore.Yielded;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends holds in the store. When somebody in this instance waits for the lock, the store
 * hands it on in the same step, except that every so often another instance goes first.
 */
final class Relay {

	private static final Logger logger = LoggerFactory.getLogger(Relay.class);

	private final LockStore store;

	private final Leftovers leftovers;

	private final Tokens tokens;

	private final MonotonicClock clock;

	private final int localHandoffs;

	/**
	 * Create a relay.
	 * @param localHandoffs how many times in a row a lock is handed on while another
	 * instance waits for it
	 */
	Relay(LockStore store, Leftovers leftovers, Tokens tokens, MonotonicClock clock, int localHandoffs) {
		this.store = store;
		this.leftovers = leftovers;
		this.tokens = tokens;
		this.clock = clock;
		this.localHandoffs = localHandoffs;
	}

	/**
	 * End a hold that is being released. If the turn goes on to another caller, it is
	 * over for the hold; if not, the caller ends it.
	 * @return whether the hold was held until now
	 * @throws LockStoreException when the store cannot be asked
	 */
	boolean release(Hold hold) {
		Turn next = hold.turn().chooseNext();
		return (next != null) ? handOn(hold, next) : this.store.release(hold.id(), 0);
	}

	private boolean handOn(Hold hold, Turn next) {
		LocalQueue queue = hold.turn().queue();
		Claimant successor = next.claimant();
		boolean inDoubt = this.leftovers.claim(successor.key(), successor.owner());
		queue.expectWakeUp();
		long sentAt = this.clock.nanos();
		Transfer outcome;
		try {
			outcome = this.store.transfer(hold.id(), successor.claim(0), queue.handoffs() >= this.localHandoffs);
		}
		catch (RuntimeException | Error ex) {
			begin(hold, next, new Handover.InDoubt(), true);
			throw ex;
		}
		if (outcome instanceof Transferred transferred) {
			queue.handoffs(transferred.othersWait() ? queue.handoffs() + 1 : 0);
			this.tokens.seen(transferred.token());
			if (!begin(hold, next, new Handover.Held(transferred.token(), sentAt), inDoubt)) {
				giveBack(successor.holdId(transferred.token()), successor);
			}
			return true;
		}
		if (outcome instanceof Yielded) {
			begin(hold, next, new Handover.Queued(sentAt, inDoubt), inDoubt);
			return true;
		}
		begin(hold, next, inDoubt ? new Handover.InDoubt() : null, inDoubt);
		return false;
	}

	/**
	 * Begin the next turn, unless whoever was chosen has left: then leave nothing of it
	 * behind.
	 * @param inDoubt whether the store may have a hold of the one that was chosen, now or
	 * later
	 */
	private boolean begin(Hold hold, Turn next, @Nullable Handover handover, boolean inDoubt) {
		if (hold.turn().handOn(next, handover)) {
			return true;
		}
		Claimant gone = next.claimant();
		if (inDoubt) {
			this.leftovers.clearAttempts(gone.key(), gone.owner(), gone.terms().lease());
		}
		if (handover instanceof Handover.Queued && gone.place() != null) {
			leave(gone.key(), gone.place().id());
		}
		return false;
	}

	private void leave(String key, String placeId) {
		try {
			this.store.leave(key, placeId);
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not leave the queue for lock '{}'; the place runs out by itself", key, ex);
		}
	}

	private void giveBack(HoldId granted, Claimant gone) {
		try {
			this.store.release(granted, 0);
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Could not give back lock '{}' now, trying again", granted.key(), ex);
			this.leftovers.clear(granted, gone.terms().lease());
		}
	}

}
