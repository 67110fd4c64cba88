/**
 * Virtual time, and threads of which one runs at a time: which one, a seed decides.
 */
@NullMarked
package io.holdfast.engine.simulation.schedule;

import org.jspecify.annotations.NullMarked;
