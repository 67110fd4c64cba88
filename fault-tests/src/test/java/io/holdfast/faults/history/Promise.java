package io.holdfast.faults.history;

/**
 * What locks promise in spite of a fault, from the most to the least.
 */
public enum Promise {

	/** Nobody loses a lock. */
	NOTHING_LOST,
	/**
	 * Locks may be lost, and their holders are told. Nobody else gets one while its
	 * holder is told that it is held.
	 */
	LOSSES_TOLD,
	/**
	 * Redis may forget who has a lock: another may get it before its holder has noticed.
	 * Losses are told.
	 */
	GRANTS_FORGOTTEN,
	/**
	 * Two servers may grant the same lock for a while: only who writes with its token is
	 * safe.
	 */
	TWO_MASTERS;

	/**
	 * Return what is left when something happens that promises less.
	 */
	public Promise and(Promise other) {
		return (compareTo(other) >= 0) ? this : other;
	}

}
