package io.holdfast.autoconfigure;

/**
 * Thrown at startup when there is nothing to keep locks in.
 */
class MissingLockStoreException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	MissingLockStoreException() {
		super("There is no Redis connection to keep locks in");
	}

}
