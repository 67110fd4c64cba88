/**
 * Instances, and callers that ask them for locks in all ways that there are.
 */
@NullMarked
package io.holdfast.engine.simulation.load;

import org.jspecify.annotations.NullMarked;
