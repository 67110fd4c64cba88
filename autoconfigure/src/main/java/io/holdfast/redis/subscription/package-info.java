/**
 * The subscription for an instance's messages: locks to try, locks that others want, and
 * locks that an operator has released.
 */
@NullMarked
package io.holdfast.redis.subscription;

import org.jspecify.annotations.NullMarked;
