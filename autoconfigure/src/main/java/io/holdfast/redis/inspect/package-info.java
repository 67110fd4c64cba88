/**
 * The operators' view of the locks in Redis, and release by force.
 */
@NullMarked
package io.holdfast.redis.inspect;

import org.jspecify.annotations.NullMarked;
