/**
 * The recipe for fencing tokens: a database refuses the writes of a holder that has lost
 * its lock without knowing it. Independent of the sale.
 */
@NullMarked
package io.holdfast.sample.fencing;

import org.jspecify.annotations.NullMarked;
