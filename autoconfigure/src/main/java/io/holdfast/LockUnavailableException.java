package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a lock was not acquired because Redis did not answer, or because the
 * application is shutting down.
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
