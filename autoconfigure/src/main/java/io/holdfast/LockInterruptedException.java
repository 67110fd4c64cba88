package io.holdfast;

/**
 * Thrown when a thread was interrupted while it waited for a lock. The thread's interrupt
 * flag is set again, and the lock was not acquired.
 *
 * @since 0.1.0
 */
public class LockInterruptedException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param key the key that the thread waited for
	 * @param cause the interrupt
	 */
	public LockInterruptedException(String key, InterruptedException cause) {
		super("Interrupted while waiting for lock '%s'".formatted(key), cause);
	}

}
