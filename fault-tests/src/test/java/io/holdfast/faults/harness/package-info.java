/**
 * Starts servers and workers, and watches over them.
 */
@NullMarked
package io.holdfast.faults.harness;

import org.jspecify.annotations.NullMarked;
