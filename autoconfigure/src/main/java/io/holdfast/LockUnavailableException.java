package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a lock could not be acquired or extended, because the store (Redis, or a
 * database) did not answer or the application is shutting down.
 *
 * @since 0.1.0
 */
public class LockUnavailableException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message the message
	 * @param cause the cause, or {@code null}
	 */
	public LockUnavailableException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
