/**
 * Applications whose components lock through the interfaces of other libraries.
 */
@NullMarked
package io.holdfast.adapters;

import org.jspecify.annotations.NullMarked;
