/**
 * The local half of a lock: claims and lines, holds and their leases, renewal, release
 * and clean-up, time and threads. Knows a store of locks only as {@link LockStore}.
 */
@NullMarked
package io.holdfast.engine;

import org.jspecify.annotations.NullMarked;
