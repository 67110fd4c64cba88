package io.holdfast.engine;

import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;

/**
 * Who wants a lock, and on what terms.
 *
 * @param terms the terms
 * @param owner who is going to hold the lock
 * @param nested whether that owner holds other locks already
 * @param place its place in the store's queue, or {@code null} when it does not wait
 */
record Claimant(Terms terms, Owner owner, boolean nested, @Nullable QueuePlace place) {

	List<String> keys() {
		return this.terms.keys();
	}

	String onlyKey() {
		return this.terms.keys().get(0);
	}

	/**
	 * Return whether the callers of this instance stand in line for what is wanted.
	 */
	boolean standsInLine() {
		return this.terms.keys().size() == 1 && this.terms.mode() == LockMode.EXCLUSIVE && !this.terms.fair();
	}

	boolean isWaiting() {
		return this.place != null;
	}

	/**
	 * Return what to ask the store for.
	 * @param staleToken the greatest token of a hold that has ended
	 */
	Claim claim(long staleToken) {
		return new Claim(keys(), this.owner.id(), this.terms.mode(), this.terms.fair(), this.nested, this.terms.lease(),
				staleToken, this.place);
	}

	/**
	 * Return the name of the hold that a grant makes.
	 */
	HoldId holdId(List<Grant> grants) {
		return new HoldId(this.owner.id(), grants);
	}

}
