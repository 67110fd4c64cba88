package io.holdfast.engine.store;

import io.holdfast.LogText;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store of locks could not be asked, or gave no usable answer.
 *
 * @since 0.1.0
 */
public class LockStoreException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final boolean transientFailure;

	/**
	 * Create an exception.
	 * @param message what could not be done
	 * @param cause why, or {@code null}
	 * @param transientFailure whether the same call may go through later
	 */
	public LockStoreException(String message, @Nullable Throwable cause, boolean transientFailure) {
		super(LogText.of(message), cause);
		this.transientFailure = transientFailure;
	}

	/**
	 * Return whether the same call may go through later.
	 * @return {@code false} when trying again is of no use
	 */
	public boolean isTransient() {
		return this.transientFailure;
	}

}
