package io.holdfast.engine;

/**
 * How many renewals of holds there were.
 *
 * @param renewed how many have gone through
 * @param failed how many the store could not be asked for
 * @since 0.1.0
 */
public record RenewalCounts(long renewed, long failed) {

}
