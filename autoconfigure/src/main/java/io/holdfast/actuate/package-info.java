/**
 * What operators see: health, metrics, observations, and the locks themselves.
 */
@NullMarked
package io.holdfast.actuate;

import org.jspecify.annotations.NullMarked;
