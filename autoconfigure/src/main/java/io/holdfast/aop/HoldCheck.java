package io.holdfast.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.Supplier;

import io.holdfast.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Refuses to keep a key longer than it can be held, where the configured times are known.
 */
final class HoldCheck {

	private final Supplier<LockDefaults> defaults;

	HoldCheck(Supplier<LockDefaults> defaults) {
		this.defaults = defaults;
	}

	void check(LockRequest request, Method method) {
		Duration minHold = request.minHold();
		if (minHold == null || AheadOfTime.isUnderWay()) {
			return;
		}
		LockDefaults known = this.defaults.get();
		boolean renewed = (request.autoRenew() != null) ? request.autoRenew() : known.autoRenew();
		if (!renewed) {
			require(minHold, or(request.lease(), known.lease()), method, "the lease, which is not renewed",
					"Shorten 'minHold', raise 'lease' (or 'holdfast.lease'), or have the lease renewed ('autoRenew').");
		}
		require(minHold, or(request.maxHold(), known.maxHold()), method,
				"'maxHold', after which the lease is not renewed",
				"Shorten 'minHold', or raise 'maxHold' (or 'holdfast.max-hold').");
	}

	private static @Nullable Duration or(@Nullable Duration own, @Nullable Duration other) {
		return (own != null) ? own : other;
	}

	private static void require(Duration minHold, @Nullable Duration limit, Method method, String what, String action) {
		if (limit != null && minHold.compareTo(limit) > 0) {
			throw new InvalidDistributedLockException(method, "minHold",
					"is longer than %s: %s is more than %s".formatted(what, minHold, limit), action, null);
		}
	}

}
