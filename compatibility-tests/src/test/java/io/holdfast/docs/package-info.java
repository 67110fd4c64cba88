/**
 * What the documentation shows of other libraries.
 */
@NullMarked
package io.holdfast.docs;

import org.jspecify.annotations.NullMarked;
