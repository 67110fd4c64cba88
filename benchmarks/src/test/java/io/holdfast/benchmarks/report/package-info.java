/**
 * Tests of tables and charts.
 */
@NullMarked
package io.holdfast.benchmarks.report;

import org.jspecify.annotations.NullMarked;
