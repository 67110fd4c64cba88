/**
 * A service with locks, and tests of it.
 */
@NullMarked
package io.holdfast.docs.shipping;

import org.jspecify.annotations.NullMarked;
