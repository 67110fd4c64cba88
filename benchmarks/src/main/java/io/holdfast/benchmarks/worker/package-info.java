/**
 * What runs in a JVM of its own for one measurement.
 */
@NullMarked
package io.holdfast.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
