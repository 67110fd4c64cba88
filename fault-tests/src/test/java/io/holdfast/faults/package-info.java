/**
 * Breaks servers and applications and looks whether locks keep what they promise.
 */
@NullMarked
package io.holdfast.faults;

import org.jspecify.annotations.NullMarked;
