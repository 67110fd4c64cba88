package io.holdfast;

/**
 * Whether a lock excludes all other holders, or only exclusive ones.
 *
 * <p>
 * The holder of the exclusive lock may also take the shared one. The holder of the shared
 * lock cannot get the exclusive one: the request throws a {@link LockUpgradeException} at
 * once.
 *
 * @since 0.1.0
 */
public enum LockMode {

	/**
	 * A single owner: the write lock of a key.
	 */
	EXCLUSIVE,

	/**
	 * Any number of owners, as long as none is exclusive: the read lock of the same key.
	 */
	SHARED

}
