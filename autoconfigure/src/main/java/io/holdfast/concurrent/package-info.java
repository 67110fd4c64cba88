/**
 * Time and threads: the only way to both, so that a whole engine can run in a simulation.
 * Knows no store.
 */
@NullMarked
package io.holdfast.concurrent;

import org.jspecify.annotations.NullMarked;
