package io.holdfast.engine;

import java.time.Duration;
import java.util.List;

import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.LogText;
import org.jspecify.annotations.Nullable;

/**
 * A request whose unset options are filled from the settings.
 *
 * @param retain for how long the lock stays with this instance when it is released; zero
 * where it cannot
 */
record Terms(List<String> keys, LockMode mode, int permits, boolean fair, Duration lease, boolean autoRenew,
		Duration minHold, @Nullable Duration maxHold, @Nullable String name, Duration retain) {

	// Throws if the request itself asks for what cannot be
	static Terms of(LockRequest request, EngineSettings settings, LockStore store) {
		if (request.permits() > 0 && !store.hasPermits()) {
			throw new IllegalArgumentException(("Lock '%s' cannot have permits on independent masters, which could let "
					+ "in too many: use one Redis, Sentinel or a Cluster (without 'holdfast.redis.nodes')")
				.formatted(LogText.keys(request.lockKeys())));
		}
		Terms terms = new Terms(request.lockKeys(), request.mode(), request.permits(),
				orElse(request.ordered(), settings.fair()), orElse(request.lease(), settings.lease()),
				orElse(request.autoRenew(), settings.autoRenew()), orElse(request.minHold(), Duration.ZERO),
				(request.maxHold() != null) ? request.maxHold() : settings.maxHold(), request.name(),
				orElse(request.retain(), settings.retain()));
		if (terms.retain.isZero()) {
			return terms;
		}
		String obstacle = settings.obstacleToRetaining(request);
		if (obstacle == null && !store.canRetain()) {
			obstacle = "this store: it needs a single Redis without 'holdfast.redis.replica-acks'";
		}
		if (obstacle == null) {
			return terms;
		}
		Duration asked = request.retain();
		if (asked != null && !asked.isZero()) {
			throw new IllegalArgumentException("Lock '%s' cannot be retained with %s. Request it without 'retain'"
				.formatted(terms.text(), obstacle));
		}
		return terms.with(terms.keys, Duration.ZERO);
	}

	private static <T> T orElse(@Nullable T value, T configured) {
		return (value != null) ? value : configured;
	}

	Terms on(List<String> keys) {
		return with(keys, this.retain);
	}

	private Terms with(List<String> keys, Duration retain) {
		return new Terms(keys, this.mode, this.permits, this.fair, this.lease, this.autoRenew, this.minHold,
				this.maxHold, this.name, retain);
	}

	boolean isPlain() {
		return this.keys.size() == 1 && this.mode == LockMode.EXCLUSIVE && !this.fair;
	}

	// Return whether a section may begin under a grant that the store made for another.
	// It renews as that does, and what is kept is kept under the name of its grant
	boolean mayShareGrant() {
		return this.autoRenew && this.minHold.isZero();
	}

	String text() {
		return LogText.keys(this.keys);
	}

}
