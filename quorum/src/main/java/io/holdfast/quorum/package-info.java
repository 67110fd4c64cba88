/**
 * Locks on several independent masters, a quorum of which decides.
 */
@NullMarked
package io.holdfast.quorum;

import org.jspecify.annotations.NullMarked;
