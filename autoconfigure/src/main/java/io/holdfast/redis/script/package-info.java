/**
 * Names of keys in Redis, and the Lua scripts that use them.
 */
@NullMarked
package io.holdfast.redis.script;

import org.jspecify.annotations.NullMarked;
