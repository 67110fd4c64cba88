package io.holdfast.engine;

import io.holdfast.engine.LockStore.Grant;

/**
 * What whoever had its turn before leaves to the one whose turn begins.
 */
sealed interface Handover {

	/**
	 * The lock itself.
	 *
	 * @param grant the grant
	 * @param sentAt when the store was asked for it
	 */
	record Held(Grant grant, long sentAt) implements Handover {

	}

	/**
	 * A place in the store's queue: there is a wake-up to wait for.
	 *
	 * @param at when the place was taken
	 */
	record Queued(long at) implements Handover {

	}

	/**
	 * The lock or nothing: a reply of the store was lost, or an earlier request of the
	 * same owner may still be on its way.
	 */
	record InDoubt() implements Handover {

	}

}
