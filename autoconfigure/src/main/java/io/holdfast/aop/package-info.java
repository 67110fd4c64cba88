/**
 * Runs annotated methods under their locks: {@link io.holdfast.aop.LockedMethods} finds
 * them, and a {@link io.holdfast.aop.LockedMethod} runs the calls of one.
 */
@NullMarked
package io.holdfast.aop;

import org.jspecify.annotations.NullMarked;
