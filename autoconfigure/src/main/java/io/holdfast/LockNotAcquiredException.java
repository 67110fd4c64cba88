package io.holdfast;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when another owner held the lock for as long as the caller was willing to wait.
 *
 * @since 0.1.0
 */
public class LockNotAcquiredException extends LockException {

	private static final long serialVersionUID = 1L;

	private final String key;

	private final Duration waited;

	private final @Nullable String holder;

	/**
	 * Create an exception for a wait that ran out.
	 * @param key the key that was asked for
	 * @param waited how long the caller waited
	 * @param holder the owner seen last, or {@code null} when it is not known
	 */
	public LockNotAcquiredException(String key, Duration waited, @Nullable String holder) {
		super("Lock '%s' %s%s".formatted(key, outcome(waited), (holder != null) ? ", held by " + holder : ""));
		this.key = key;
		this.waited = waited;
		this.holder = holder;
	}

	private static String outcome(Duration waited) {
		return (waited.toMillis() == 0) ? "is not free (tried once)"
				: "was not acquired within %d ms".formatted(waited.toMillis());
	}

	/**
	 * Return the key that was asked for.
	 * @return the key
	 */
	public String getKey() {
		return this.key;
	}

	/**
	 * Return how long the caller waited.
	 * @return the time from the request to giving up
	 */
	public Duration getWaited() {
		return this.waited;
	}

	/**
	 * Return who held the lock when it was last looked at.
	 * @return the owner's id, or {@code null} when it is not known
	 */
	public @Nullable String getHolder() {
		return this.holder;
	}

}
