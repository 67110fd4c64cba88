package io.holdfast.engine;

/**
 * A grant that there may have been, or may be yet: the lost request can still be on its
 * way. So it is withdrawn as long as its lease could last.
 */
final class LostGrant extends Leftover {

	private final long number;

	private final LockStore store;

	/**
	 * Create a grant to withdraw.
	 * @param number the number of the last claim that there was no answer to
	 */
	LostGrant(Id id, long number, long until, LockStore store) {
		super(id, until);
		this.number = number;
		this.store = store;
	}

	@Override
	boolean clear() {
		this.store.withdraw(id().key(), id().owner(), this.number);
		return false;
	}

}
