/**
 * What must be true of every episode.
 */
@NullMarked
package io.holdfast.engine.simulation.check;

import org.jspecify.annotations.NullMarked;
