/**
 * Tests of what workers report.
 */
@NullMarked
package io.holdfast.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
