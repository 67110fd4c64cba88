/**
 * The application whose locks are tested, in a JVM of its own.
 */
@NullMarked
package io.holdfast.faults.worker;

import org.jspecify.annotations.NullMarked;
