package io.holdfast.engine;

import io.holdfast.engine.LockStore.HoldId;

/**
 * What whoever had its turn before leaves to the one whose turn begins.
 */
sealed interface Handover {

	/**
	 * The lock itself.
	 *
	 * @param granted the hold
	 * @param sentAt when the store was asked for it
	 */
	record Held(HoldId granted, long sentAt) implements Handover {

	}

	/**
	 * A place in the store's queue: there is a wake-up to wait for.
	 *
	 * @param at when the place was taken
	 */
	record Queued(long at) implements Handover {

	}

}
