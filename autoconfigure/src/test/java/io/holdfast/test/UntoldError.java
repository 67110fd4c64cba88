package io.holdfast.test;

/**
 * As if there was no memory to say what has happened.
 */
public final class UntoldError extends Error {

	private static final long serialVersionUID = 1L;

	@Override
	public String getMessage() {
		throw new OutOfMemoryError("for a test");
	}

}
