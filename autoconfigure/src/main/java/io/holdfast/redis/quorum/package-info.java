/**
 * The store of locks on several independent masters, a quorum of which decides.
 */
@NullMarked
package io.holdfast.redis.quorum;

import org.jspecify.annotations.NullMarked;
