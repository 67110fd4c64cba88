/**
 * A store of locks on virtual time: called directly, or a server behind a network.
 */
@NullMarked
package io.holdfast.engine.simulation.store;

import org.jspecify.annotations.NullMarked;
