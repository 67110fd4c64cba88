/**
 * The local half of a lock: holds and their leases, waiting threads, the watchdog and
 * background releases. Knows a store of locks only as
 * {@link io.holdfast.engine.store.LockStore}.
 */
@NullMarked
package io.holdfast.engine;

import org.jspecify.annotations.NullMarked;
