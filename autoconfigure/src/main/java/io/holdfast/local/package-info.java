/**
 * Locks in memory, for one JVM.
 */
@NullMarked
package io.holdfast.local;

import org.jspecify.annotations.NullMarked;
