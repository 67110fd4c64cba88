package io.holdfast.engine;

import io.holdfast.engine.LockStore.HoldId;

/**
 * A grant that there may have been, or may be yet: the lost request can still be on its
 * way. So one looks for it as long as its lease could last.
 */
final class LostGrant extends Leftover {

	private final LockStore store;

	private final Tokens tokens;

	LostGrant(Id id, long until, LockStore store, Tokens tokens) {
		super(id, until);
		this.store = store;
		this.tokens = tokens;
	}

	@Override
	boolean clear() {
		for (HoldId found : this.store.find(id().key(), id().owner())) {
			if (noteUnlessClaimed(found.grants().get(0).token())) {
				this.store.release(found, 0);
			}
		}
		return false;
	}

	/**
	 * Once the token is known to be an old one, whoever claims afterwards gets another.
	 */
	private synchronized boolean noteUnlessClaimed(long token) {
		if (isClaimed()) {
			return false;
		}
		this.tokens.seen(token);
		return true;
	}

}
