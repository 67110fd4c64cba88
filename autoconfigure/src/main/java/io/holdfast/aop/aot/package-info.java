/**
 * Hints for native images: what the annotations of an application refer to.
 */
@NullMarked
package io.holdfast.aop.aot;

import org.jspecify.annotations.NullMarked;
