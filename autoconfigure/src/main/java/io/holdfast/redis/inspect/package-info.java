/**
 * What operators see of the locks in Redis, and how they release them by force.
 */
@NullMarked
package io.holdfast.redis.inspect;

import org.jspecify.annotations.NullMarked;
