package io.holdfast.engine;

/**
 * What a hold is found by.
 *
 * @param key one of its keys
 * @param ownerId the owner's id
 */
record OwnedKey(String key, String ownerId) {
}
