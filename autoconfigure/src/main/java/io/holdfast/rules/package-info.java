/**
 * Who gets a lock, as a pure function of its state: what the scripts do in Redis, for
 * stores in memory and in databases.
 */
@NullMarked
package io.holdfast.rules;

import org.jspecify.annotations.NullMarked;
