/**
 * The store of locks on one Redis, on Sentinel or on a Cluster: names of keys, scripts,
 * slots, messages that wake waiters, and what operators see.
 */
@NullMarked
package io.holdfast.redis;

import org.jspecify.annotations.NullMarked;
