/**
 * What tests share: a real Redis, and instances that use it.
 */
@NullMarked
package io.holdfast.test;

import org.jspecify.annotations.NullMarked;
