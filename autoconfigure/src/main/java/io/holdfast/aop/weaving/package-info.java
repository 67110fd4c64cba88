/**
 * Locks in code that AspectJ weaves into classes, instead of proxies.
 */
@NullMarked
package io.holdfast.aop.weaving;

import org.jspecify.annotations.NullMarked;
