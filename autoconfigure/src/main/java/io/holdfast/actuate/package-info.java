/**
 * Health, metrics, observations, and the endpoint for locks.
 */
@NullMarked
package io.holdfast.actuate;

import org.jspecify.annotations.NullMarked;
