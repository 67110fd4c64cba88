/**
 * The annotation at work: finds it, evaluates its expressions and runs methods under
 * their locks.
 */
@NullMarked
package io.holdfast.aop;

import org.jspecify.annotations.NullMarked;
