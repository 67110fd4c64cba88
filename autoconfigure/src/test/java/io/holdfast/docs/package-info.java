/**
 * What the documentation shows: every snippet in it stands here, is compiled, and most
 * are run.
 */
@NullMarked
package io.holdfast.docs;

import org.jspecify.annotations.NullMarked;
