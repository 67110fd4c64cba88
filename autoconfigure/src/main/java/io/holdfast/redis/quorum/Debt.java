package io.holdfast.redis.quorum;

import io.holdfast.engine.store.LockStoreException;
import io.holdfast.redis.SlotLocks;
import io.holdfast.redis.Withdrawal;

/**
 * Something that a node is still to be told.
 */
interface Debt {

	/**
	 * Tell the node.
	 * @return whether all of it was held until now
	 * @throws LockStoreException when the node cannot be asked
	 */
	boolean settle(SlotLocks locks);

	/**
	 * Something that is to be taken back.
	 */
	record TakingBack(Withdrawal withdrawal) implements Debt {

		@Override
		public boolean settle(SlotLocks locks) {
			return locks.withdraw(this.withdrawal);
		}

	}

}
