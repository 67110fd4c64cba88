package io.holdfast.sample;

/**
 * A number of buyers who want the product all at once.
 *
 * @param buyers how many
 * @param locked whether they buy under the lock
 * @param restock whether a new sale begins with them; if not, they join the one that is
 * on
 */
record Rush(int buyers, boolean locked, boolean restock) {
}
