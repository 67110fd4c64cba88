/**
 * Locks behind the interfaces of Spring Integration.
 */
@NullMarked
package io.holdfast.integration;

import org.jspecify.annotations.NullMarked;
