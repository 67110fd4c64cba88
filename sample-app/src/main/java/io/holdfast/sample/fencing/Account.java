package io.holdfast.sample.fencing;

/**
 * An account as it is in the database.
 *
 * @param balance what is on it
 * @param token fencing token of the last holder that has read it to change it, or has
 * written it
 */
record Account(long balance, long token) {
}
