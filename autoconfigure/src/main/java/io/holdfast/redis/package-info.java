/**
 * The store of locks on Redis: names of keys, Lua scripts, and the channel on which
 * waiters are woken.
 */
@NullMarked
package io.holdfast.redis;

import org.jspecify.annotations.NullMarked;
