package io.holdfast;

import java.util.Objects;

/**
 * Application event that is published once for each lost lock, on a thread other than the
 * owner's.
 *
 * @param lock the lost lock
 * @param cause why it was lost
 * @since 0.1.0
 */
public record LockLostEvent(LockSnapshot lock, Throwable cause) {

	/**
	 * Check that neither is {@code null}.
	 */
	public LockLostEvent {
		Objects.requireNonNull(lock, "'lock' must not be null");
		Objects.requireNonNull(cause, "'cause' must not be null");
	}

}
