package io.holdfast.local;

/**
 * Somebody who is to try a lock.
 *
 * @param key the key
 * @param placeId the place in its queue
 */
record WakeUp(String key, String placeId) {
}
