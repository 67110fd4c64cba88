/**
 * Fencing tokens at work, with a real Redis and a real database.
 */
@NullMarked
package io.holdfast.sample.fencing;

import org.jspecify.annotations.NullMarked;
