package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.LockRequest;
import io.holdfast.OnLost;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * How an instance treats its locks unless a request says otherwise.
 *
 * @param instanceId identity of this instance among all that share the store; without a
 * colon
 * @param lease time a lock outlives its holder's last sign of life
 * @param waitFor longest wait for a lock; negative for no limit
 * @param autoRenew whether leases are renewed
 * @param maxHold time after which a lease is no longer renewed, or {@code null}
 * @param fair whether locks are granted in order of arrival in the store
 * @param onLost what to do when a lock is lost
 * @param localHandoffs how many times in a row a lock is handed on within this instance
 * while another instance waits for it
 * @param warnings what to warn of in the log
 * @since 0.1.0
 */
public record EngineSettings(String instanceId, Duration lease, Duration waitFor, boolean autoRenew,
		@Nullable Duration maxHold, boolean fair, OnLost onLost, int localHandoffs, Warnings warnings) {

	/**
	 * Check all values.
	 */
	public EngineSettings {
		Assert.hasText(instanceId, "'instanceId' must not be null or blank");
		Assert.isTrue(instanceId.indexOf(':') < 0, "'instanceId' must not contain a colon");
		LockRequest.requireValidLease(lease);
		Assert.notNull(waitFor, "'waitFor' must not be null");
		Assert.isTrue(maxHold == null || maxHold.compareTo(Duration.ZERO) > 0, "'maxHold' must be positive");
		Assert.notNull(onLost, "'onLost' must not be null");
		Assert.isTrue(localHandoffs >= 0, "'localHandoffs' must not be negative");
		Assert.notNull(warnings, "'warnings' must not be null");
	}

	/**
	 * Create settings that warn of nothing but losses and failures.
	 * @param instanceId identity of this instance
	 * @param lease time a lock outlives its holder's last sign of life
	 * @param waitFor longest wait for a lock
	 * @param autoRenew whether leases are renewed
	 * @param maxHold time after which a lease is no longer renewed, or {@code null}
	 * @param fair whether locks are granted in order of arrival in the store
	 * @param onLost what to do when a lock is lost
	 * @param localHandoffs how many times in a row a lock is handed on within this
	 * instance while another instance waits for it
	 */
	public EngineSettings(String instanceId, Duration lease, Duration waitFor, boolean autoRenew,
			@Nullable Duration maxHold, boolean fair, OnLost onLost, int localHandoffs) {
		this(instanceId, lease, waitFor, autoRenew, maxHold, fair, onLost, localHandoffs, Warnings.NONE);
	}

	/**
	 * What to warn of in the log.
	 *
	 * @param hold how long a lock may be held, or {@code null} for as long as anybody
	 * likes
	 * @param waiting how long a caller may wait for a lock, or {@code null} for as long
	 * as it likes
	 * @param deadlocks whether to look for owners that wait for each other
	 */
	public record Warnings(@Nullable Duration hold, @Nullable Duration waiting, boolean deadlocks) {

		/**
		 * Nothing.
		 */
		public static final Warnings NONE = new Warnings(null, null, false);

	}

}
