/**
 * What users of Holdfast need: the annotation, the template, the registry, and the types
 * they speak of.
 */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
