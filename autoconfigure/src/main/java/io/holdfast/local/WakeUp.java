package io.holdfast.local;

/**
 * A waiter that is to try a lock.
 *
 * @param key the key
 * @param placeId the place in its queue
 */
record WakeUp(String key, String placeId) {
}
