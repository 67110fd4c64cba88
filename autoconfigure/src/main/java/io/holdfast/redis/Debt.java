package io.holdfast.redis;

import io.holdfast.engine.LockStoreException;

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

}
