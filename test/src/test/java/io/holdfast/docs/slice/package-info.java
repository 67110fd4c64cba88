/**
 * An application whose slices are tested.
 */
@NullMarked
package io.holdfast.docs.slice;

import org.jspecify.annotations.NullMarked;
