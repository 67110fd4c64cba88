/**
 * Time and threads of an engine: the only way to both, so that all of it can run in a
 * simulation.
 */
@NullMarked
package io.holdfast.engine.runtime;

import org.jspecify.annotations.NullMarked;
