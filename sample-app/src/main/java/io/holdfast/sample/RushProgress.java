package io.holdfast.sample;

/**
 * Application event that tells how a rush is getting on: at its beginning, every now and
 * then, and at its end.
 *
 * @param locked whether the buyers need the lock
 * @param buyers how many buyers came
 * @param stock how many pieces the sale had to offer
 * @param done how many of them have left again
 * @param bought how many got a piece
 * @param over whether the rush is over
 */
public record RushProgress(boolean locked, int buyers, int stock, int done, int bought, boolean over) {
}
