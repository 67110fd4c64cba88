package io.holdfast;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * What to lock, and how. Immutable: each method returns a changed copy. What is not set
 * is as configured under {@code holdfast.*}.
 *
 * <pre class="code">
 * LockRequest.of("order:42").lease(Duration.ofSeconds(10)).waitFor(Duration.ZERO)
 * </pre>
 *
 * @param keys the keys, without duplicates
 * @param name name of low cardinality that prefixes the keys, or {@code null}
 * @param lease time the lock outlives its holder's last sign of life, or {@code null}
 * @param waitFor longest wait, {@link #NO_LIMIT}, or {@code null}
 * @param autoRenew whether to renew the lease while the holder lives, or {@code null}
 * @param minHold time to keep the key at least, or {@code null}
 * @param maxHold time after which the lease is no longer renewed, or {@code null}
 * @param mode exclusive or shared
 * @param ordered whether waiters get the lock in order of arrival, or {@code null}: what
 * {@link #fair(boolean)} sets (a component of that name would take {@link #fair()})
 * @param handleBound whether the handle owns the lock instead of the thread
 * @since 0.1.0
 */
public record LockRequest(List<String> keys, @Nullable String name, @Nullable Duration lease,
		@Nullable Duration waitFor, @Nullable Boolean autoRenew, @Nullable Duration minHold, @Nullable Duration maxHold,
		LockMode mode, @Nullable Boolean ordered, boolean handleBound) {

	private static final String NO_KEYS = "A lock request needs at least one key: 'keys' must be neither null nor empty";

	/**
	 * The {@link #waitFor() wait} of a request without a limit.
	 */
	public static final Duration NO_LIMIT = Duration.ofMillis(-1);

	/**
	 * The shortest lease there can be; a shorter one would be over before it is known.
	 */
	public static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

	/**
	 * The longest lease there can be.
	 */
	public static final Duration LONGEST_LEASE = Duration.ofDays(365);

	/**
	 * The most keys that a request can have: as many as Redis can go through without
	 * keeping others waiting, since it serves nobody else meanwhile.
	 */
	public static final int MOST_KEYS = 1_000;

	/**
	 * Check all values.
	 */
	public LockRequest {
		Assert.notEmpty(keys, NO_KEYS);
		keys.forEach(LockRequest::requireValidKey);
		keys = keys.stream().distinct().toList();
		requireNotTooMany(keys.size());
		Assert.isTrue(name == null || !name.isBlank(), "A lock's name must not be blank");
		if (lease != null) {
			requireValidLease(lease);
		}
		Assert.isTrue(waitFor == null || !waitFor.isNegative() || waitFor.equals(NO_LIMIT),
				() -> "The time to wait for a lock must not be negative, except for -1 ms, which means no limit: "
						+ waitFor);
		Assert.isTrue(minHold == null || (!minHold.isNegative() && minHold.compareTo(LONGEST_LEASE) <= 0),
				() -> "A lock's minHold must be between 0 and %d days, not %s".formatted(LONGEST_LEASE.toDays(),
						minHold));
		Assert.isTrue(maxHold == null || maxHold.compareTo(Duration.ZERO) > 0,
				() -> "A lock's maxHold must be positive: " + maxHold);
		Objects.requireNonNull(mode, "A lock's mode must not be null");
	}

	/**
	 * Check that a key is text. Half a surrogate pair, as is left of an emoji that has
	 * been cut in two, cannot be encoded: keys that differ in it would be the same lock.
	 */
	private static void requireValidKey(@Nullable String key) {
		Assert.hasText(key, "A lock's key must not be null or blank");
		for (int i = 0; i < key.length(); i++) {
			if (Character.isSurrogate(key.charAt(i))) {
				Assert.isTrue(Character.isSurrogatePair(key.charAt(i), (i + 1 < key.length()) ? key.charAt(i + 1) : 0),
						() -> "A lock's key must be valid Unicode, without half a surrogate pair: " + LogText.of(key));
				i++;
			}
		}
	}

	private static void requireNotTooMany(int keys) {
		Assert.isTrue(keys <= MOST_KEYS,
				() -> ("A lock request can have %d keys at most, not %d: ".formatted(MOST_KEYS, keys)
						+ "lock something that stands for all of them, or lock them in several requests"));
	}

	/**
	 * Request a lock on keys, all or none of them.
	 * @param keys the keys; duplicates count once
	 * @return a request with all else as configured
	 * @throws IllegalArgumentException when there is no key, there are more than
	 * {@link #MOST_KEYS}, or one is {@code null}, blank or no valid Unicode
	 */
	public static LockRequest of(String... keys) {
		Assert.notNull(keys, NO_KEYS);
		return of(Arrays.asList(keys));
	}

	/**
	 * Request a lock on keys, all or none of them.
	 * @param keys the keys; duplicates count once
	 * @return a request with all else as configured
	 * @throws IllegalArgumentException when there is no key, there are more than
	 * {@link #MOST_KEYS}, or one is {@code null}, blank or no valid Unicode
	 */
	public static LockRequest of(Collection<String> keys) {
		Assert.notNull(keys, NO_KEYS);
		return new LockRequest(new ArrayList<>(keys), null, null, null, null, null, null, LockMode.EXCLUSIVE, null,
				false);
	}

	/**
	 * Check that a lease is from {@link #SHORTEST_LEASE} to {@link #LONGEST_LEASE}.
	 * @param lease the lease
	 * @throws IllegalArgumentException when it is not
	 */
	public static void requireValidLease(Duration lease) {
		Assert.notNull(lease, "A lock's lease must not be null");
		Assert.isTrue(lease.compareTo(SHORTEST_LEASE) >= 0 && lease.compareTo(LONGEST_LEASE) <= 0,
				() -> "A lock's lease must be between %d ms and %d days, not %s".formatted(SHORTEST_LEASE.toMillis(),
						LONGEST_LEASE.toDays(), lease));
	}

	/**
	 * Return the keys as they are locked.
	 * @return the keys, with the name in front when there is one
	 */
	public List<String> lockKeys() {
		return (this.name != null) ? this.keys.stream().map((key) -> this.name + ":" + key).toList() : this.keys;
	}

	/**
	 * Set a name of low cardinality. It prefixes the keys ({@code name:key}), tags
	 * metrics, and tells listeners what kind of lock it is. What tells one lock of the
	 * kind from another belongs into the key.
	 * @param name the name
	 * @return a changed copy
	 */
	public LockRequest name(String name) {
		Assert.notNull(name, "'name' must not be null");
		return new LockRequest(this.keys, name, this.lease, this.waitFor, this.autoRenew, this.minHold, this.maxHold,
				this.mode, this.ordered, this.handleBound);
	}

	/**
	 * Set the time the lock outlives its holder's last sign of life.
	 * @param lease the lease, from {@link #SHORTEST_LEASE} to {@link #LONGEST_LEASE}
	 * @return a changed copy
	 */
	public LockRequest lease(Duration lease) {
		Assert.notNull(lease, "'lease' must not be null");
		return new LockRequest(this.keys, this.name, lease, this.waitFor, this.autoRenew, this.minHold, this.maxHold,
				this.mode, this.ordered, this.handleBound);
	}

	/**
	 * Set the longest time to wait for the lock.
	 * @param waitFor the time, zero for one try
	 * @return a changed copy
	 */
	public LockRequest waitFor(Duration waitFor) {
		Assert.notNull(waitFor, "'waitFor' must not be null");
		return new LockRequest(this.keys, this.name, this.lease, waitFor, this.autoRenew, this.minHold, this.maxHold,
				this.mode, this.ordered, this.handleBound);
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
		return new LockRequest(this.keys, this.name, this.lease, this.waitFor, autoRenew, this.minHold, this.maxHold,
				this.mode, this.ordered, this.handleBound);
	}

	/**
	 * Set the time for which the keys stay taken at least, even when the lock is released
	 * earlier. For the rest of it nobody gets the lock, not even this thread; only
	 * readers can join those whose shared lock is kept. Whoever has released the lock is
	 * done with it all the same. What is lost is not kept, and if the application dies
	 * the keys stay taken for as long as the lease lasts only.
	 * @param minHold the time, counted from the grant, up to {@link #LONGEST_LEASE}; may
	 * be longer than the lease if that is renewed
	 * @return a changed copy
	 */
	public LockRequest minHold(Duration minHold) {
		Assert.notNull(minHold, "'minHold' must not be null");
		return new LockRequest(this.keys, this.name, this.lease, this.waitFor, this.autoRenew, minHold, this.maxHold,
				this.mode, this.ordered, this.handleBound);
	}

	/**
	 * Set the time after which the lease is no longer renewed.
	 * @param maxHold the time, counted from the grant
	 * @return a changed copy
	 */
	public LockRequest maxHold(Duration maxHold) {
		Assert.notNull(maxHold, "'maxHold' must not be null");
		return new LockRequest(this.keys, this.name, this.lease, this.waitFor, this.autoRenew, this.minHold, maxHold,
				this.mode, this.ordered, this.handleBound);
	}

	/**
	 * Set whether the lock is exclusive or shared.
	 * @param mode the mode
	 * @return a changed copy
	 */
	public LockRequest mode(LockMode mode) {
		Assert.notNull(mode, "'mode' must not be null");
		return new LockRequest(this.keys, this.name, this.lease, this.waitFor, this.autoRenew, this.minHold,
				this.maxHold, mode, this.ordered, this.handleBound);
	}

	/**
	 * Share the lock with other shared holders. Whoever holds it so cannot get the
	 * exclusive lock of the same key, see {@link LockUpgradeException}.
	 * @return a changed copy
	 */
	public LockRequest shared() {
		return mode(LockMode.SHARED);
	}

	/**
	 * Get the lock in order of arrival.
	 * @return a changed copy
	 */
	public LockRequest fair() {
		return fair(true);
	}

	/**
	 * Set whether to get the lock in order of arrival.
	 * @param fair whether to; {@code false} also where {@code holdfast.fair} is set
	 * @return a changed copy
	 */
	public LockRequest fair(boolean fair) {
		return new LockRequest(this.keys, this.name, this.lease, this.waitFor, this.autoRenew, this.minHold,
				this.maxHold, this.mode, fair, this.handleBound);
	}

	/**
	 * Let the handle own the lock instead of the thread: it is not reentrant, it lives on
	 * when the thread that acquired it has ended, and the commit of a transaction does
	 * not look at it. For work that is begun on one thread and finished on another.
	 * @return a changed copy
	 */
	public LockRequest ownedByHandle() {
		return new LockRequest(this.keys, this.name, this.lease, this.waitFor, this.autoRenew, this.minHold,
				this.maxHold, this.mode, this.ordered, true);
	}

}
