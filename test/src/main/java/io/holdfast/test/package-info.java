/**
 * Locks in memory for tests of applications, and checks that no test leaks a lock.
 */
@NullMarked
package io.holdfast.test;

import org.jspecify.annotations.NullMarked;
