/**
 * What is called how in Redis, and how the Lua scripts are run on it.
 */
@NullMarked
package io.holdfast.redis.script;

import org.jspecify.annotations.NullMarked;
