package io.holdfast.autoconfigure;

/**
 * Thrown at startup when locks are to be woven into classes, and nothing weaves.
 */
class MissingWeaverException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	MissingWeaverException() {
		super("There is no AspectJ weaver to put locks into classes");
	}

}
