/**
 * What operators see: health, and the locks themselves.
 */
@NullMarked
package io.holdfast.actuate;

import org.jspecify.annotations.NullMarked;
