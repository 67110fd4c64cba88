package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a lock was lost before its owner released it: the lease expired, or the
 * lock was taken away. What the owner did since then was not protected. Thrown as well
 * when a handle that was released has to be held.
 *
 * @since 0.1.0
 */
public class LockLostException extends LockException {

	private static final long serialVersionUID = 1L;

	private final String key;

	private final @Nullable String reason;

	/**
	 * Create an exception for a lost lock.
	 * @param key the key of the lock
	 * @param reason why it was lost, or {@code null} if the handle has been released; the
	 * reason of a cause of this type is added
	 * @param cause the cause, or {@code null}
	 */
	public LockLostException(String key, @Nullable String reason, @Nullable Throwable cause) {
		super(((reason != null)
				? "Lock '%s' was lost while your code ran (%s): the work may have overlapped with another holder"
				: "Lock '%s' is not held any more: this handle has been released")
			.formatted(key, whole(reason, cause)), cause);
		this.key = key;
		this.reason = whole(reason, cause);
	}

	private static @Nullable String whole(@Nullable String reason, @Nullable Throwable cause) {
		String before = (cause instanceof LockLostException loss) ? loss.reason : null;
		return (reason != null && before != null) ? reason + ": " + before : reason;
	}

	/**
	 * Return the key of the lost lock.
	 * @return the key; of several up to ten, and how many others there are
	 */
	public String getKey() {
		return this.key;
	}

}
