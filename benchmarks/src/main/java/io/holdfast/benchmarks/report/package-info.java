/**
 * Tables, charts and raw data of a run.
 */
@NullMarked
package io.holdfast.benchmarks.report;

import org.jspecify.annotations.NullMarked;
