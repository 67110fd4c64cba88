/**
 * Looks for broken promises in histories.
 */
@NullMarked
package io.holdfast.faults.check;

import org.jspecify.annotations.NullMarked;
