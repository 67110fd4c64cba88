/**
 * What workers have done under locks, as they wrote it down.
 */
@NullMarked
package io.holdfast.faults.history;

import org.jspecify.annotations.NullMarked;
