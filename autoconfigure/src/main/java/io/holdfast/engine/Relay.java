package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.engine.LockStore.Freed;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.Transfer;
import io.holdfast.engine.LockStore.Transferred;
import io.holdfast.engine.LockStore.Yielded;

/**
 * Ends holds in the store. When somebody in this instance waits for the lock, the store
 * hands it on in the same step, except that every so often another instance goes first. A
 * lock that is to stay taken for a while is not handed on: those who wait go on waiting.
 */
final class Relay {

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
		Duration rest = hold.rest();
		return rest.isZero() ? free(hold) : this.store.keep(hold.id(), rest);
	}

	private boolean free(Hold hold) {
		Turn present = (hold.waiter() instanceof Turn turn) ? turn : null;
		Turn next = (present != null) ? present.chooseNext() : null;
		if (present == null || next == null) {
			return this.store.release(hold.id(), 0);
		}
		Claimant successor = next.claimant();
		if (this.leftovers.claim(successor.keys(), successor.owner())) {
			return releaseWithoutHandingOn(hold, present, next);
		}
		return handOn(hold, present, next);
	}

	/**
	 * The store may have an old grant of the successor, which must not be mistaken for a
	 * new one: it asks for itself.
	 */
	private boolean releaseWithoutHandingOn(Hold hold, Turn present, Turn next) {
		try {
			return this.store.release(hold.id(), 0);
		}
		finally {
			begin(present, next, new Handover.InDoubt());
		}
	}

	private boolean handOn(Hold hold, Turn present, Turn next) {
		LocalQueue queue = present.queue();
		Claimant successor = next.claimant();
		queue.expectWakeUp();
		long sentAt = this.clock.nanos();
		Transfer outcome;
		try {
			outcome = this.store.transfer(hold.id(), successor.claim(0), queue.handoffs() >= this.localHandoffs);
		}
		catch (RuntimeException | Error ex) {
			begin(present, next, new Handover.InDoubt());
			throw ex;
		}
		if (outcome instanceof Transferred transferred) {
			queue.handoffs(transferred.othersWait() ? queue.handoffs() + 1 : 0);
			this.tokens.seen(transferred.token());
			begin(present, next, new Handover.Held(new Grant(successor.onlyKey(), transferred.token()), sentAt));
			return true;
		}
		boolean yielded = outcome instanceof Yielded;
		queue.sight().holder(null);
		if (outcome instanceof Freed) {
			begin(present, next, new Handover.InDoubt());
			return true;
		}
		begin(present, next, yielded ? new Handover.Queued(sentAt) : new Handover.InDoubt());
		return yielded;
	}

	/**
	 * Begin the next turn, unless whoever was chosen has left: then leave nothing of it
	 * behind.
	 */
	private void begin(Turn present, Turn next, Handover handover) {
		if (present.handOn(next, handover)) {
			return;
		}
		Claimant gone = next.claimant();
		if (handover instanceof Handover.Held held) {
			this.leftovers.giveBack(gone.holdId(List.of(held.grant())), gone.terms().lease());
		}
		else if (handover instanceof Handover.Queued && gone.place() != null) {
			this.leftovers.leaveQueue(gone.keys(), gone.place().id());
		}
		else {
			this.leftovers.clearAttempts(gone.keys(), gone.owner(), gone.terms().lease());
		}
	}

}
