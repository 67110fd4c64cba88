/**
 * Locks in code that AspectJ weaves into classes, instead of proxies.
 */
@NullMarked
package io.holdfast.aspectj;

import org.jspecify.annotations.NullMarked;
