/**
 * What the starter adds to the start of an application, and how long the first lock
 * takes.
 */
@NullMarked
package io.holdfast.benchmarks.startup;

import org.jspecify.annotations.NullMarked;
