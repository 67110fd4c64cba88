/**
 * The engine of several instances on virtual time, one thread at a time, with all that
 * can go wrong around them.
 */
@NullMarked
package io.holdfast.engine.simulation;

import org.jspecify.annotations.NullMarked;
