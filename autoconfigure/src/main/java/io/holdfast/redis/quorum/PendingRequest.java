package io.holdfast.redis.quorum;

import io.holdfast.engine.store.LockStoreException;
import io.holdfast.redis.SlotLocks;
import io.holdfast.redis.Withdrawal;

/**
 * Something that a node is still to be told.
 */
interface PendingRequest {

	/**
	 * Tell the node.
	 * @return whether all of it was held until now
	 * @throws LockStoreException when the node cannot be asked
	 */
	boolean send(SlotLocks locks);

	/**
	 * Something that is to be taken back.
	 */
	record Withdrawing(Withdrawal withdrawal) implements PendingRequest {

		@Override
		public boolean send(SlotLocks locks) {
			return locks.withdraw(this.withdrawal);
		}

	}

}
