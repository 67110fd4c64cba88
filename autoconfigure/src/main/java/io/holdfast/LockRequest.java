package io.holdfast;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * What to lock, and how. Immutable: each method that sets an option returns a changed
 * copy, or throws an {@link IllegalArgumentException} if the value is not valid. For
 * options that are not set, the properties {@code holdfast.*} apply.
 *
 * <pre class="code">
 * LockRequest.of("order:42").lease(Duration.ofSeconds(10)).waitFor(Duration.ZERO)
 * </pre>
 *
 * @since 0.1.0
 */
public final class LockRequest {

	private static final String NO_KEYS = "A lock request needs at least one key: 'keys' must be neither null nor empty";

	/**
	 * The {@link #waitFor() wait} of a request without a limit.
	 */
	public static final Duration NO_LIMIT = Duration.ofMillis(-1);

	/**
	 * The shortest lease; a shorter one would expire before its grant is known.
	 */
	public static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

	/**
	 * The longest lease.
	 */
	public static final Duration LONGEST_LEASE = Duration.ofDays(365);

	/**
	 * The most keys of a request. Redis serves no other client while it processes them.
	 */
	public static final int MOST_KEYS = 1_000;

	private static final Map<Option, Object> DEFAULTS = Map.of(Option.MODE, LockMode.EXCLUSIVE);

	private final List<String> keys;

	// Not changed after construction
	private final Map<Option, Object> options;

	// Whether the mode was set to be exclusive: requests are equal without that
	private final boolean setExclusive;

	private LockRequest(List<String> keys, Map<Option, Object> options, boolean setExclusive) {
		Assert.isTrue(keys.size() == 1 || !Boolean.TRUE.equals(options.get(Option.FAIR)),
				() -> "A fair lock has one key, not %d: request several keys without 'fair'".formatted(keys.size()));
		this.keys = keys;
		this.options = options;
		this.setExclusive = setExclusive;
	}

	/**
	 * Request a lock on keys: all of them or none.
	 * @param keys the keys; duplicates count once
	 * @return a request with the configured defaults
	 * @throws IllegalArgumentException when there is no key, there are more than
	 * {@link #MOST_KEYS}, or one is {@code null}, blank or not valid Unicode
	 */
	public static LockRequest of(String... keys) {
		Assert.notNull(keys, NO_KEYS);
		return of(Arrays.asList(keys));
	}

	/**
	 * Request a lock on keys: all of them or none.
	 * @param keys the keys; duplicates count once
	 * @return a request with the configured defaults
	 * @throws IllegalArgumentException as {@link #of(String...)}
	 */
	public static LockRequest of(Collection<String> keys) {
		return new LockRequest(validKeys(keys), DEFAULTS, false);
	}

	private static List<String> validKeys(Collection<String> keys) {
		Assert.notEmpty(keys, NO_KEYS);
		keys.forEach(LockRequest::requireValidKey);
		List<String> distinct = keys.stream().distinct().toList();
		Assert.isTrue(distinct.size() <= MOST_KEYS,
				() -> "A lock request can have %d keys at most, not %d: ".formatted(MOST_KEYS, distinct.size())
						+ "lock something that stands for all of them, or lock them in several requests");
		return distinct;
	}

	// Check that a key is text. Half a surrogate pair, for example of an emoji that was
	// cut in two, cannot be encoded: keys that differ only in it would be the same lock
	private static void requireValidKey(@Nullable String key) {
		Assert.hasText(key, "A lock's key must not be null or blank");
		for (int i = 0; i < key.length(); i += Character.charCount(key.codePointAt(i))) {
			Assert.isTrue(Character.getType(key.codePointAt(i)) != Character.SURROGATE,
					() -> "A lock's key must be valid Unicode, without half a surrogate pair: " + LogText.of(key));
		}
	}

	/**
	 * Check that a lease is from {@link #SHORTEST_LEASE} to {@link #LONGEST_LEASE}.
	 * @param lease the lease
	 * @throws IllegalArgumentException when it is not
	 */
	public static void requireValidLease(Duration lease) {
		Assert.notNull(lease, "'lease' must not be null");
		Assert.isTrue(lease.compareTo(SHORTEST_LEASE) >= 0 && lease.compareTo(LONGEST_LEASE) <= 0,
				() -> "A lock's lease must be between %d ms and %d days, not %s".formatted(SHORTEST_LEASE.toMillis(),
						LONGEST_LEASE.toDays(), lease));
	}

	/**
	 * Return the keys, without the name.
	 * @return the keys, without duplicates
	 */
	public List<String> keys() {
		return this.keys;
	}

	/**
	 * Return the name of low cardinality that prefixes the keys.
	 * @return the name, or {@code null}
	 */
	public @Nullable String name() {
		return (String) this.options.get(Option.NAME);
	}

	/**
	 * Return the time after which the lock expires unless its holder renews it.
	 * @return the lease, or {@code null} for the configured one
	 */
	public @Nullable Duration lease() {
		return (Duration) this.options.get(Option.LEASE);
	}

	/**
	 * Return the longest time to wait for the lock.
	 * @return the time, {@link #NO_LIMIT}, or {@code null} for the configured one
	 */
	public @Nullable Duration waitFor() {
		return (Duration) this.options.get(Option.WAIT_FOR);
	}

	/**
	 * Return whether to renew the lease while the holder lives.
	 * @return whether to renew it, or {@code null} for the configured value
	 */
	public @Nullable Boolean autoRenew() {
		return (Boolean) this.options.get(Option.AUTO_RENEW);
	}

	/**
	 * Return the shortest time for which the keys stay locked.
	 * @return the time, or {@code null} for none
	 */
	public @Nullable Duration minHold() {
		return (Duration) this.options.get(Option.MIN_HOLD);
	}

	/**
	 * Return the time after which the lease is no longer renewed.
	 * @return the time, or {@code null} for the configured one
	 */
	public @Nullable Duration maxHold() {
		return (Duration) this.options.get(Option.MAX_HOLD);
	}

	/**
	 * Return whether the lock is exclusive or shared.
	 * @return the mode
	 */
	public LockMode mode() {
		return (LockMode) Objects.requireNonNull(this.options.get(Option.MODE));
	}

	/**
	 * Return how many holders there may be at a time.
	 * @return the number, or 0 for a lock without permits
	 */
	public int permits() {
		return (int) this.options.getOrDefault(Option.PERMITS, 0);
	}

	/**
	 * Return whether callers get the lock in order of arrival, as {@link #fair(boolean)}
	 * sets.
	 * @return whether they do, or {@code null} for the configured value
	 */
	public @Nullable Boolean ordered() {
		return (Boolean) this.options.get(Option.FAIR);
	}

	/**
	 * Return whether the handle owns the lock instead of the thread.
	 * @return whether {@link #ownedByHandle()} was called
	 */
	public boolean handleBound() {
		return this.options.containsKey(Option.OWNED_BY_HANDLE);
	}

	/**
	 * Return the keys as they are locked.
	 * @return the keys, with the name in front when there is one
	 */
	public List<String> lockKeys() {
		String name = name();
		return (name != null) ? this.keys.stream().map((key) -> name + ":" + key).toList() : this.keys;
	}

	/**
	 * Request the same on other keys.
	 * @param keys the keys; duplicates count once
	 * @return a changed copy
	 * @throws IllegalArgumentException as {@link #of(String...)}, and when there are
	 * several keys and the request is {@linkplain #fair() fair}
	 */
	public LockRequest keys(Collection<String> keys) {
		return new LockRequest(validKeys(keys), this.options, this.setExclusive);
	}

	/**
	 * Set a name of low cardinality. It prefixes the keys ({@code name:key}), tags
	 * metrics, and tells listeners which kind of lock it is. What distinguishes locks of
	 * the same kind belongs in the key.
	 * @param name the name; not blank
	 * @return a changed copy
	 */
	public LockRequest name(String name) {
		Assert.notNull(name, "'name' must not be null");
		Assert.isTrue(!name.isBlank(), "A lock's name must not be blank");
		return with(Option.NAME, name);
	}

	/**
	 * Set the time after which the lock expires unless its holder renews it.
	 * @param lease the lease, from {@link #SHORTEST_LEASE} to {@link #LONGEST_LEASE}
	 * @return a changed copy
	 */
	public LockRequest lease(Duration lease) {
		requireValidLease(lease);
		return with(Option.LEASE, lease);
	}

	/**
	 * Set the longest time to wait for the lock.
	 * @param waitFor the time; zero for one try, {@link #NO_LIMIT} for no limit
	 * @return a changed copy
	 */
	public LockRequest waitFor(Duration waitFor) {
		Assert.notNull(waitFor, "'waitFor' must not be null");
		Assert.isTrue(!waitFor.isNegative() || waitFor.equals(NO_LIMIT),
				() -> "The time to wait for a lock must not be negative, except for -1 ms, which means no limit: "
						+ waitFor);
		return with(Option.WAIT_FOR, waitFor);
	}

	/**
	 * Wait for the lock without limit.
	 * @return a changed copy
	 */
	public LockRequest waitForever() {
		return waitFor(NO_LIMIT);
	}

	/**
	 * Set whether the lease is renewed while the holder lives. Without renewal the lease
	 * is a hard limit.
	 * @param autoRenew whether to renew
	 * @return a changed copy
	 */
	public LockRequest autoRenew(boolean autoRenew) {
		return with(Option.AUTO_RENEW, autoRenew);
	}

	/**
	 * Set the shortest time for which the keys stay locked, even if the lock is released
	 * earlier. Until then no caller gets the lock, not even this thread; only readers can
	 * join a shared lock that is kept. The release itself does not wait. A lost lock is
	 * not kept, and if the application dies the keys stay locked only until the lease
	 * expires.
	 * @param minHold the time, counted from the grant, up to {@link #LONGEST_LEASE}; may
	 * be longer than the lease if that is renewed
	 * @return a changed copy
	 */
	public LockRequest minHold(Duration minHold) {
		Assert.notNull(minHold, "'minHold' must not be null");
		Assert.isTrue(!minHold.isNegative() && minHold.compareTo(LONGEST_LEASE) <= 0,
				() -> "A lock's minHold must be between 0 and %d days, not %s".formatted(LONGEST_LEASE.toDays(),
						minHold));
		return with(Option.MIN_HOLD, minHold);
	}

	/**
	 * Set the time after which the lease is no longer renewed.
	 * @param maxHold the time, counted from the grant; longer than zero
	 * @return a changed copy
	 */
	public LockRequest maxHold(Duration maxHold) {
		Assert.notNull(maxHold, "'maxHold' must not be null");
		Assert.isTrue(maxHold.compareTo(Duration.ZERO) > 0, () -> "A lock's maxHold must be positive: " + maxHold);
		return with(Option.MAX_HOLD, maxHold);
	}

	/**
	 * Set whether the lock is exclusive or shared.
	 * @param mode the mode; only {@link LockMode#SHARED} with {@link #permits(int)}
	 * @return a changed copy
	 */
	public LockRequest mode(LockMode mode) {
		Assert.notNull(mode, "'mode' must not be null");
		Assert.isTrue(mode == LockMode.SHARED || permits() == 0,
				"A lock with permits is shared: request the exclusive lock without 'permits'");
		return with(Option.MODE, mode);
	}

	/**
	 * Share the lock with other shared holders. A shared holder cannot get the exclusive
	 * lock of the same key, see {@link LockUpgradeException}.
	 * @return a changed copy
	 */
	public LockRequest shared() {
		return mode(LockMode.SHARED);
	}

	/**
	 * Share the lock with a limited number of holders, in all instances: a semaphore
	 * whose permits expire unless they are renewed. All shared holders count, those
	 * without a limit as well; this request is granted while they are fewer than its own
	 * limit, and after those that wait already for the same, unless it is a single try.
	 * Acquiring it again on the same thread takes no further permit; each handle that
	 * {@linkplain #ownedByHandle() owns} its lock takes one. With
	 * {@link #minHold(Duration)}, a permit comes back after that time at the earliest: at
	 * most so many can start within it. Each holder has a fencing token of its own, so a
	 * database that refuses smaller tokens would refuse those that hold the lock longest.
	 * Independent masters ({@code holdfast.redis.nodes}) do not support permits.
	 * @param permits the greatest number of holders; at least 1. Not with
	 * {@link LockMode#EXCLUSIVE} as the {@linkplain #mode(LockMode) mode}
	 * @return a changed copy, in {@linkplain LockMode#SHARED shared} mode
	 */
	public LockRequest permits(int permits) {
		Assert.isTrue(permits > 0, () -> "A lock's permits must be at least 1, not " + permits);
		Assert.isTrue(!this.setExclusive, "A lock with permits is shared: request it without the exclusive 'mode'");
		return shared().with(Option.PERMITS, permits);
	}

	/**
	 * Get the lock in order of arrival. Asynchronous calls right after each other arrive
	 * in any order. For one key.
	 * @return a changed copy
	 * @throws IllegalArgumentException when there are several keys
	 */
	public LockRequest fair() {
		return fair(true);
	}

	/**
	 * Set whether callers get the lock in order of arrival.
	 * @param fair whether they do; {@code false} overrides {@code holdfast.fair}, which
	 * does not apply to several keys
	 * @return a changed copy
	 * @throws IllegalArgumentException when it is to be fair and there are several keys
	 */
	public LockRequest fair(boolean fair) {
		return with(Option.FAIR, fair);
	}

	/**
	 * Let the handle own the lock instead of the thread: it is not reentrant, it survives
	 * the thread that acquired it, and the commit of a transaction does not check it. For
	 * work that starts on one thread and ends on another.
	 * @return a changed copy
	 */
	public LockRequest ownedByHandle() {
		return with(Option.OWNED_BY_HANDLE, true);
	}

	private LockRequest with(Option option, Object value) {
		Map<Option, Object> changed = new EnumMap<>(this.options);
		changed.put(option, value);
		boolean exclusive = (option == Option.MODE) ? value == LockMode.EXCLUSIVE : this.setExclusive;
		return new LockRequest(this.keys, changed, exclusive);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || (other instanceof LockRequest that && this.keys.equals(that.keys)
				&& this.options.equals(that.options));
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.keys, this.options);
	}

	@Override
	public String toString() {
		return "LockRequest" + this.keys + this.options;
	}

	private enum Option {

		NAME, LEASE, WAIT_FOR, AUTO_RENEW, MIN_HOLD, MAX_HOLD, MODE, PERMITS, FAIR, OWNED_BY_HANDLE

	}

}
