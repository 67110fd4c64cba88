package io.holdfast.redis;

/**
 * What a node has answered when a grant was to count.
 *
 * @param held whether all of the locks are held with the tokens agreed on
 * @param queued whether the owner has a place in a queue still
 */
public record Confirmation(boolean held, boolean queued) {

}
