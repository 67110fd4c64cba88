package io.holdfast.aop;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What holds for an annotation that does not say otherwise.
 *
 * @param lease time a lock outlives its holder's last sign of life
 * @param waitFor longest wait
 * @param autoRenew whether leases are renewed
 * @param maxHold time after which a lease is no longer renewed, or {@code null} for no
 * limit
 * @since 0.1.0
 */
public record LockDefaults(Duration lease, Duration waitFor, boolean autoRenew, @Nullable Duration maxHold) {

}
