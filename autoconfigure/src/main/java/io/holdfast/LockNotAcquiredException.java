package io.holdfast;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when another owner held the lock for as long as the caller waited.
 *
 * @since 0.1.0
 */
public class LockNotAcquiredException extends LockException {

	private static final long serialVersionUID = 1L;

	private final String key;

	private final boolean oneTry;

	private final Duration waited;

	private final @Nullable String holder;

	private final @Nullable String holderName;

	/**
	 * Create an exception for a wait that ended without the lock.
	 * @param key the requested key
	 * @param waited how long the caller waited
	 * @param holder the last known owner, or {@code null} if unknown
	 */
	public LockNotAcquiredException(String key, Duration waited, @Nullable String holder) {
		this(key, waited.isZero(), waited, holder, holder);
	}

	/**
	 * Create an exception that also describes the holder.
	 * @param key the requested key
	 * @param oneTry whether the request was for one try, not for a wait
	 * @param waited how long the caller waited
	 * @param holder the last known owner, or {@code null} if unknown
	 * @param holderName description of that owner, or without one of what else was in the
	 * way; {@code null} if unknown
	 */
	public LockNotAcquiredException(String key, boolean oneTry, Duration waited, @Nullable String holder,
			@Nullable String holderName) {
		super("Lock '%s' %s%s".formatted(key, outcome(oneTry, waited),
				(holderName == null) ? "" : (holder != null) ? ", held by " + holderName : ", " + holderName));
		this.key = key;
		this.oneTry = oneTry;
		this.waited = waited;
		this.holder = holder;
		this.holderName = holderName;
	}

	private static String outcome(boolean oneTry, Duration waited) {
		return oneTry ? "is not free (tried once)" : "was not acquired within %d ms".formatted(waited.toMillis());
	}

	/**
	 * Return the requested key.
	 * @return the key; of several up to ten, and how many others there are
	 */
	public String getKey() {
		return this.key;
	}

	/**
	 * Return whether the request was for one try, not for a wait.
	 * @return whether it was one try
	 */
	public boolean isOneTry() {
		return this.oneTry;
	}

	/**
	 * Return how long the caller waited.
	 * @return the time from the request to its end
	 */
	public Duration getWaited() {
		return this.waited;
	}

	/**
	 * Return the last known holder of the lock.
	 * @return the owner's id, or {@code null} if unknown
	 */
	public @Nullable String getHolder() {
		return this.holder;
	}

	/**
	 * Return a description of the last known holder: its thread and, in another instance,
	 * application, host and process, as far as they were known, then its id. If no single
	 * holder was in the way, the text says what was, such as
	 * {@code 2 of 2 permits are taken}.
	 * @return the text, or {@code null} when nothing is known
	 */
	public @Nullable String getHolderName() {
		return this.holderName;
	}

}
