/**
 * The public API of Holdfast: the annotation, the template, the registry, and their
 * types. The <em>store</em> is where locks are kept: Redis, or a database.
 */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
