package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Base class of the exceptions of locks. A message stays on one line, whatever the keys
 * in it contain: often the message is all that is logged.
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
