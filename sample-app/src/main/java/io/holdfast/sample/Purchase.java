package io.holdfast.sample;

/**
 * What came of one buyer's attempt.
 *
 * @param bought whether there was a piece left
 * @param enteredAt when the buyer got in, that is, had the lock if one was needed; a
 * value of {@link System#nanoTime()}
 */
record Purchase(boolean bought, long enteredAt) {
}
