package io.holdfast.aop;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The configured values of what annotations leave open.
 *
 * @param lease time a lock outlives its holder's last sign of life
 * @param waitFor longest wait
 * @param autoRenew whether leases are renewed
 * @param maxHold time after which a lease is no longer renewed, or {@code null} for no
 * limit
 * @param permits whether the holders of a lock can be limited
 * @param application the name of this application, as the ids of its instances have it
 * @since 0.1.0
 */
public record LockDefaults(Duration lease, Duration waitFor, boolean autoRenew, @Nullable Duration maxHold,
		boolean permits, String application) {
}
