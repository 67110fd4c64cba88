/**
 * What is done to servers and workers.
 */
@NullMarked
package io.holdfast.faults.fault;

import org.jspecify.annotations.NullMarked;
