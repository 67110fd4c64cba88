package io.holdfast.engine;

import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.QueuePlace;
import org.jspecify.annotations.Nullable;

/**
 * Who wants a lock, and on what terms.
 *
 * @param terms the terms
 * @param owner who is going to hold the lock
 * @param number the number of its first claim, which is for whoever hands it a lock
 * @param nested whether that owner holds other locks already
 * @param place its place in the store's queue, or {@code null} when it does not wait
 */
record Claimant(Terms terms, Owner owner, long number, boolean nested, @Nullable QueuePlace place) {

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
	 * Return what to ask the store for on its behalf.
	 */
	Claim firstClaim() {
		return claim(this.number);
	}

	/**
	 * Return what to ask the store for.
	 * @param number tells the claims of an owner apart
	 */
	Claim claim(long number) {
		return new Claim(keys(), this.owner.id(), number, this.terms.mode(), this.terms.fair(), this.nested,
				this.terms.lease(), this.place);
	}

}
