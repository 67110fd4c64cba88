package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.NotHeld;
import io.holdfast.engine.LockStore.Transfer;
import io.holdfast.engine.LockStore.Transferred;
import io.holdfast.engine.LockStore.Yielded;
import org.jspecify.annotations.Nullable;

/**
 * Ends holds in the store. When somebody in this instance waits for the lock, the store
 * hands it on in the same step, except that every so often another instance goes first. A
 * lock that is to stay taken for a while is not handed on: those who wait go on waiting.
 */
final class Relay {

	private final LockStore store;

	private final Leftovers leftovers;

	private final MonotonicClock clock;

	private final int localHandoffs;

	/**
	 * Create a relay.
	 * @param localHandoffs how many times in a row a lock is handed on while another
	 * instance waits for it
	 */
	Relay(LockStore store, Leftovers leftovers, MonotonicClock clock, int localHandoffs) {
		this.store = store;
		this.leftovers = leftovers;
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
		return handOn(hold, present, next);
	}

	private boolean handOn(Hold hold, Turn present, Turn next) {
		LocalQueue queue = present.queue();
		Claim successor = next.claimant().firstClaim();
		queue.expectWakeUp();
		long sentAt = this.clock.nanos();
		Transfer outcome;
		try {
			outcome = this.store.transfer(hold.id(), successor, queue.handoffs() >= this.localHandoffs);
		}
		catch (RuntimeException | Error ex) {
			begin(present, next, null);
			this.leftovers.withdraw(successor);
			throw ex;
		}
		if (outcome instanceof Transferred transferred) {
			queue.handoffs(transferred.othersWait() ? queue.handoffs() + 1 : 0);
			HoldId granted = successor.granted(List.of(new Grant(successor.keys().get(0), transferred.token())));
			begin(present, next, new Handover.Held(granted, sentAt));
			return true;
		}
		queue.sight().holder(null);
		begin(present, next, (outcome instanceof Yielded) ? new Handover.Queued(sentAt) : null);
		return !(outcome instanceof NotHeld);
	}

	/**
	 * Begin the next turn, unless whoever was chosen has left: then leave nothing of it
	 * behind.
	 * @param handover what it begins with, or {@code null} for nothing
	 */
	private void begin(Turn present, Turn next, @Nullable Handover handover) {
		if (present.handOn(next, handover)) {
			return;
		}
		Claimant gone = next.claimant();
		if (handover instanceof Handover.Held held) {
			this.leftovers.giveBack(held.granted(), gone.terms().lease());
		}
		else if (handover instanceof Handover.Queued && gone.place() != null) {
			this.leftovers.leaveQueue(gone.keys(), gone.place().id());
		}
	}

}
