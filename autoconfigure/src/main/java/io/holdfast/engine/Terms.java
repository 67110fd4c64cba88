package io.holdfast.engine;

import java.time.Duration;

import io.holdfast.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * What a request asks for, with the gaps filled from the settings.
 *
 * @param key the key to lock
 * @param lease how long a grant lasts without renewal
 * @param autoRenew whether to renew the lease
 * @param maxHold how long to renew it, or {@code null} for as long as it is held
 * @param request the request
 */
record Terms(String key, Duration lease, boolean autoRenew, @Nullable Duration maxHold, LockRequest request) {

	static Terms of(LockRequest request, EngineSettings settings) {
		return new Terms(onlyKey(request), orElse(request.lease(), settings.lease()),
				orElse(request.autoRenew(), settings.autoRenew()),
				(request.maxHold() != null) ? request.maxHold() : settings.maxHold(), request);
	}

	private static String onlyKey(LockRequest request) {
		return request.lockKeys().get(0);
	}

	private static <T> T orElse(@Nullable T value, T configured) {
		return (value != null) ? value : configured;
	}

}
