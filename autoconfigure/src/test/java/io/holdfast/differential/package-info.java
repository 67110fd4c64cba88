/**
 * Compares stores: the same calls, the same answers.
 */
@NullMarked
package io.holdfast.differential;

import org.jspecify.annotations.NullMarked;
