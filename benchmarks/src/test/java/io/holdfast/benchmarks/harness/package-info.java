/**
 * Tests of how figures come about.
 */
@NullMarked
package io.holdfast.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
