/**
 * Locks behind the interfaces of ShedLock.
 */
@NullMarked
package io.holdfast.shedlock;

import org.jspecify.annotations.NullMarked;
