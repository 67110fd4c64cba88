package io.holdfast.faults.history;

/**
 * A write that the ledger has accepted.
 *
 * @param key what was written
 * @param token the token it was written with
 * @param count the number that was written
 */
public record LedgerEntry(String key, long token, long count) {
}
