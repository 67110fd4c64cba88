package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LogText;
import org.jspecify.annotations.Nullable;

/**
 * What a request asks for, with the gaps filled from the settings.
 *
 * @param keys the keys to lock
 * @param mode exclusive or shared
 * @param fair whether waiters get the locks in order of arrival in the store
 * @param lease how long a grant lasts without renewal
 * @param autoRenew whether to renew the lease
 * @param minHold how long the keys stay taken at least
 * @param maxHold how long to renew it, or {@code null} for as long as it is held
 * @param name the locks' name of low cardinality, or {@code null}
 */
record Terms(List<String> keys, LockMode mode, boolean fair, Duration lease, boolean autoRenew, Duration minHold,
		@Nullable Duration maxHold, @Nullable String name) {

	static Terms of(LockRequest request, EngineSettings settings) {
		return new Terms(request.lockKeys(), request.mode(), orElse(request.ordered(), settings.fair()),
				orElse(request.lease(), settings.lease()), orElse(request.autoRenew(), settings.autoRenew()),
				orElse(request.minHold(), Duration.ZERO),
				(request.maxHold() != null) ? request.maxHold() : settings.maxHold(), request.name());
	}

	private static <T> T orElse(@Nullable T value, T configured) {
		return (value != null) ? value : configured;
	}

	Terms on(List<String> keys) {
		return new Terms(keys, this.mode, this.fair, this.lease, this.autoRenew, this.minHold, this.maxHold, this.name);
	}

	boolean isPlain() {
		return this.keys.size() == 1 && this.mode == LockMode.EXCLUSIVE && !this.fair;
	}

	String text() {
		return LogText.keys(this.keys);
	}

}
