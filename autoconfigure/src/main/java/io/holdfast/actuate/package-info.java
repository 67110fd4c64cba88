/**
 * What operators see: health.
 */
@NullMarked
package io.holdfast.actuate;

import org.jspecify.annotations.NullMarked;
