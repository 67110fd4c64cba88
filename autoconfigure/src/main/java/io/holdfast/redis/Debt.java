package io.holdfast.redis;

import java.util.List;

import io.holdfast.engine.LockStoreException;

/**
 * Something that a node is still to be told.
 */
interface Debt {

	/**
	 * Return whose hold or attempt it is about.
	 */
	String owner();

	/**
	 * Return the greatest token that is agreed on for one of some keys, or zero: what it
	 * names on the node must not be granted again.
	 */
	long greatestAgreed(List<String> some);

	/**
	 * Tell the node.
	 * @return whether all of it was held until now
	 * @throws LockStoreException when the node cannot be asked
	 */
	boolean settle(SlotLocks locks);

}
