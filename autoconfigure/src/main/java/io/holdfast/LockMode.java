package io.holdfast;

/**
 * Whether a lock excludes all others, or only those that want it exclusively.
 *
 * <p>
 * The holder of the exclusive lock may take the shared one as well. The holder of the
 * shared one cannot get the exclusive one, and is told so at once by a
 * {@link LockUpgradeException}.
 *
 * @since 0.1.0
 */
public enum LockMode {

	/**
	 * One owner and no other: the write lock of a key.
	 */
	EXCLUSIVE,

	/**
	 * Any number of owners, as long as none is exclusive: the read lock of the same key.
	 */
	SHARED

}
