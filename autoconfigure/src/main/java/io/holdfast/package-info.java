/**
 * The public API of Holdfast: the annotation, the template, the registry, and their
 * types.
 */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
