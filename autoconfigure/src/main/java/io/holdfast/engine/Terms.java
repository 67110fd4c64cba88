package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LogText;
import org.jspecify.annotations.Nullable;

/**
 * A request whose unset options are filled from the settings.
 */
record Terms(List<String> keys, LockMode mode, int permits, boolean fair, Duration lease, boolean autoRenew,
		Duration minHold, @Nullable Duration maxHold, @Nullable String name) {

	// Throws if the store cannot do what the request asks for
	static Terms of(LockRequest request, EngineSettings settings, LockStore store) {
		if (request.permits() > 0 && !store.hasPermits()) {
			throw new IllegalArgumentException(("Lock '%s' cannot have permits on independent masters, which could let "
					+ "in too many: use one Redis, Sentinel or a Cluster (without 'holdfast.redis.nodes')")
				.formatted(LogText.keys(request.lockKeys())));
		}
		return new Terms(request.lockKeys(), request.mode(), request.permits(),
				orElse(request.ordered(), settings.fair() && request.keys().size() == 1),
				orElse(request.lease(), settings.lease()), orElse(request.autoRenew(), settings.autoRenew()),
				orElse(request.minHold(), Duration.ZERO),
				(request.maxHold() != null) ? request.maxHold() : settings.maxHold(), request.name());
	}

	private static <T> T orElse(@Nullable T value, T configured) {
		return (value != null) ? value : configured;
	}

	Terms on(List<String> keys) {
		return new Terms(keys, this.mode, this.permits, this.fair, this.lease, this.autoRenew, this.minHold,
				this.maxHold, this.name);
	}

	boolean isPlain() {
		return this.keys.size() == 1 && this.mode == LockMode.EXCLUSIVE && !this.fair;
	}

	// Return whether a section may begin under a grant that the store made for another.
	// It renews as that does, and what is kept is kept under the name of its grant
	boolean mayShareGrant() {
		return this.autoRenew && this.minHold.isZero();
	}

	String keysText() {
		return LogText.keys(this.keys);
	}

}
