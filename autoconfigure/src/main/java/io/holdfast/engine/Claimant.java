package io.holdfast.engine;

import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;

/**
 * Who wants a lock, and on what terms.
 *
 * @param terms the terms
 * @param owner who is going to hold the lock
 * @param place its place in the store's queue, or {@code null} when it does not wait
 */
record Claimant(Terms terms, Owner owner, @Nullable QueuePlace place) {

	String key() {
		return this.terms.key();
	}

	boolean isWaiting() {
		return this.place != null;
	}

	/**
	 * Return what to ask the store for.
	 * @param staleToken the greatest token of a hold that has ended
	 */
	Claim claim(long staleToken) {
		return new Claim(key(), this.owner.id(), this.terms.lease(), staleToken, this.place);
	}

	/**
	 * Return the name of the hold that a grant makes.
	 */
	HoldId holdId(long token) {
		return new HoldId(key(), this.owner.id(), token);
	}

}
