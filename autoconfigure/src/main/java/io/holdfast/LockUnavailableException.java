package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when it cannot be found out whether a lock is free, because Redis cannot be
 * asked or because the application is shutting down. The lock was not acquired.
 *
 * @since 0.1.0
 */
public class LockUnavailableException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message what could not be done
	 * @param cause why, or {@code null}
	 */
	public LockUnavailableException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
