/**
 * Ways to run Redis.
 */
@NullMarked
package io.holdfast.faults.deployment;

import org.jspecify.annotations.NullMarked;
