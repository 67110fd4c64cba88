package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Base of all that can go wrong with a lock. Messages stay on one line, whatever is in
 * the keys that they name: often they are all that is logged.
 *
 * @since 0.1.0
 */
public class LockException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception without a cause.
	 * @param message the message
	 */
	public LockException(String message) {
		super(LogText.of(message));
	}

	/**
	 * Create an exception with a cause.
	 * @param message the message
	 * @param cause the cause, or {@code null}
	 */
	public LockException(String message, @Nullable Throwable cause) {
		super(LogText.of(message), cause);
	}

}
