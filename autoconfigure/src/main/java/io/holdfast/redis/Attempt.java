package io.holdfast.redis;

import io.holdfast.engine.store.LockStore.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * What a node has answered to an attempt to acquire.
 *
 * @param outcome whether it has granted the locks
 * @param ahead the place of the waiter that goes first, if that is what is in the way
 */
public record Attempt(Outcome outcome, @Nullable String ahead) {

}
