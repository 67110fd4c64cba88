/**
 * A flash sale that oversells without a lock and does not with one.
 */
@NullMarked
package io.holdfast.sample;

import org.jspecify.annotations.NullMarked;
