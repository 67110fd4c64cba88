package io.holdfast.engine;

import java.time.Duration;
import java.util.function.Supplier;

import io.holdfast.LockRequest;
import io.holdfast.OnLost;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * How an instance treats its locks unless a request says otherwise.
 *
 * @param instanceIds makes identities of this instance among all that share the store,
 * without a colon: another one for each start, so that copies of a process differ
 * @param lease time a lock outlives its holder's last sign of life
 * @param waitFor longest wait for a lock; negative for no limit
 * @param autoRenew whether leases are renewed
 * @param maxHold time after which a lease is no longer renewed, or {@code null}
 * @param fair whether locks are granted in order of arrival in the store
 * @param onLost what to do when a lock is lost
 * @param localHandoffs how many times in a row a lock is handed over within this instance
 * while another instance waits for it
 * @param handoverCheck longest time for which a lock is handed over within this instance
 * without asking the store; zero to ask each time
 * @param warnHold how long a lock may be held without a warning, or {@code null} for no
 * limit
 * @param warnWait how long a caller may wait without a warning, or {@code null} for no
 * limit
 * @since 0.1.0
 */
public record EngineSettings(Supplier<String> instanceIds, Duration lease, Duration waitFor, boolean autoRenew,
		@Nullable Duration maxHold, boolean fair, OnLost onLost, int localHandoffs, Duration handoverCheck,
		@Nullable Duration warnHold, @Nullable Duration warnWait) {

	/**
	 * Check all values.
	 */
	public EngineSettings {
		Assert.notNull(instanceIds, "'instanceIds' must not be null");
		LockRequest.requireValidLease(lease);
		Assert.notNull(waitFor, "'waitFor' must not be null");
		Assert.isTrue(maxHold == null || maxHold.compareTo(Duration.ZERO) > 0, "'maxHold' must be positive");
		Assert.notNull(onLost, "'onLost' must not be null");
		Assert.isTrue(localHandoffs >= 0, "'localHandoffs' must not be negative");
		Assert.isTrue(!handoverCheck.isNegative(), "'handoverCheck' must not be negative");
	}

}
