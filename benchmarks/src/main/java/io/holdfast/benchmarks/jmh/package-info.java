/**
 * Single operations, measured by JMH.
 */
@NullMarked
package io.holdfast.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
