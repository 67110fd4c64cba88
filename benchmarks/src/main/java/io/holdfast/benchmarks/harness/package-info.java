/**
 * Starts Redis and workers, and makes figures of what they report.
 */
@NullMarked
package io.holdfast.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
