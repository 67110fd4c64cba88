/**
 * Applications that are asked to end, by SIGTERM, while they hold locks and wait for
 * others.
 */
@NullMarked
package io.holdfast.faults.shutdown;

import org.jspecify.annotations.NullMarked;
