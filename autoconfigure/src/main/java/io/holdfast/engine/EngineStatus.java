package io.holdfast.engine;

import java.time.Duration;
import java.time.Instant;

import io.holdfast.engine.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * How an instance is doing, as far as it knows without asking the store.
 *
 * @param instanceId identity of the instance
 * @param held how many locks it holds
 * @param acquiring how many callers are about to acquire a lock, or wait for one
 * @param waiting how many of them have to wait
 * @param oldestHold for how long the oldest lock has been held, or {@code null} when none
 * is
 * @param lastRenewal when a renewal last went through, or {@code null} when none has yet
 * @param subscription whether wake-ups arrive
 * @since 0.1.0
 */
public record EngineStatus(String instanceId, int held, int acquiring, int waiting, @Nullable Duration oldestHold,
		@Nullable Instant lastRenewal, LockStore.Subscription subscription) {

}
