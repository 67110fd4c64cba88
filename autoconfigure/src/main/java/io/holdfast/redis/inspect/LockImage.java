package io.holdfast.redis.inspect;

import io.holdfast.engine.store.StoreView.KeyState;

/**
 * A lock as seen on one server, at a time of that server's clock.
 *
 * @param state the state of its key
 * @param lastToken the greatest token of the holders, or zero when there are none; of a
 * lock that very many share, the token that was granted last
 * @param serverMillis the server's time
 */
public record LockImage(KeyState state, long lastToken, long serverMillis) {
}
