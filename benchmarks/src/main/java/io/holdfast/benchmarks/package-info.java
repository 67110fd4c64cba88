/**
 * Measures Holdfast beside other distributed locks on Redis: the command and what it
 * runs.
 */
@NullMarked
package io.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
