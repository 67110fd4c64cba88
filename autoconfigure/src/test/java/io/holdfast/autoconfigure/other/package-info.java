/**
 * A package of its own, for what is about packages.
 */
@NullMarked
package io.holdfast.autoconfigure.other;

import org.jspecify.annotations.NullMarked;
