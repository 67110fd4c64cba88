package io.holdfast.engine;

import java.time.Duration;
import java.util.function.Supplier;

import io.holdfast.LockMode;
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
 * @param retain how long this instance keeps a released lock for its next caller; zero to
 * free it at once
 * @param retainMax maximum number of such locks
 * @since 0.1.0
 */
public record EngineSettings(Supplier<String> instanceIds, Duration lease, Duration waitFor, boolean autoRenew,
		@Nullable Duration maxHold, boolean fair, OnLost onLost, int localHandoffs, Duration handoverCheck,
		Duration retain, int retainMax) {

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
		Assert.isTrue(!retain.isNegative(), "'retain' must not be negative");
		Assert.isTrue(retainMax >= 0, "'retainMax' must not be negative");
	}

	/**
	 * Return what keeps an instance from retaining a lock: an option of its request, else
	 * one of these settings. Whether the store can do it is another question.
	 * @param request what is asked for
	 * @return the option, with its value, or {@code null} if there is none
	 */
	public @Nullable String obstacleToRetaining(LockRequest request) {
		String option = obstacleInRequest(request);
		if (option != null) {
			return option;
		}
		if (this.fair && request.ordered() == null) {
			return "'holdfast.fair', which is true";
		}
		if (!this.autoRenew && request.autoRenew() == null) {
			return "'holdfast.auto-renew', which is false";
		}
		if (this.handoverCheck.isZero()) {
			return "'holdfast.handover-check', which is 0";
		}
		return (this.retainMax == 0) ? "'holdfast.retain-max', which is 0" : null;
	}

	/**
	 * Return what in a request keeps an instance from retaining its lock, whatever the
	 * settings.
	 * @param request what is asked for
	 * @return the option, with its value, or {@code null} if there is none
	 */
	public static @Nullable String obstacleInRequest(LockRequest request) {
		if (request.mode() == LockMode.SHARED) {
			return "mode = SHARED";
		}
		if (Boolean.TRUE.equals(request.ordered())) {
			return "fair = true";
		}
		if (Boolean.FALSE.equals(request.autoRenew())) {
			return "autoRenew = false";
		}
		if (request.minHold() != null && !request.minHold().isZero()) {
			return "minHold";
		}
		return (request.lockKeys().size() > 1) ? "several keys" : null;
	}

}
