package io.holdfast.engine;

import io.holdfast.LogText;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store of locks gave no answer, or no usable one.
 *
 * @since 0.1.0
 */
public class LockStoreException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final boolean transientFailure;

	private final boolean connectionUseless;

	/**
	 * Create an exception.
	 * @param message what could not be done
	 * @param cause why, or {@code null}
	 * @param transientFailure whether the same call may succeed later
	 */
	public LockStoreException(String message, @Nullable Throwable cause, boolean transientFailure) {
		this(message, cause, transientFailure, false);
	}

	/**
	 * Create an exception.
	 * @param message what could not be done
	 * @param cause why, or {@code null}
	 * @param transientFailure whether the same call may succeed later
	 * @param connectionUseless whether another connection may do
	 */
	public LockStoreException(String message, @Nullable Throwable cause, boolean transientFailure,
			boolean connectionUseless) {
		super(LogText.of(message), cause);
		this.transientFailure = transientFailure;
		this.connectionUseless = connectionUseless;
	}

	/**
	 * Return whether the same call may succeed later.
	 */
	public boolean isTransient() {
		return this.transientFailure;
	}

	/**
	 * Return whether the connection was closed, maybe long before, or does not lead to
	 * the store any more: the same call may succeed at once, over another one.
	 */
	public boolean isConnectionUseless() {
		return this.connectionUseless;
	}

	/**
	 * Thrown when the store has answered that something is in the way of a request for
	 * now, as a transaction that has locked a row is: it is not out of reach.
	 *
	 * @since 0.1.0
	 */
	public static class BusyException extends LockStoreException {

		private static final long serialVersionUID = 1L;

		/**
		 * Create an exception.
		 * @param message what could not be done
		 * @param cause why, or {@code null}
		 */
		public BusyException(String message, @Nullable Throwable cause) {
			super(message, cause, true);
		}

	}

}
