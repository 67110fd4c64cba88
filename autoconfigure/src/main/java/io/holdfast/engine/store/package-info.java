/**
 * What an engine asks of the place where the truth about locks is kept.
 */
@NullMarked
package io.holdfast.engine.store;

import org.jspecify.annotations.NullMarked;
