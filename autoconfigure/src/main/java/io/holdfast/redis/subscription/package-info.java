/**
 * The subscription by which an instance hears of locks: which to try, which others want,
 * and which an operator has released.
 */
@NullMarked
package io.holdfast.redis.subscription;

import org.jspecify.annotations.NullMarked;
