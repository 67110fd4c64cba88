/**
 * Measures Holdfast beside other distributed locks, on Redis and in a database: the
 * command and what it runs.
 */
@NullMarked
package io.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
