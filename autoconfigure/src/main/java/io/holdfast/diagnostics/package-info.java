/**
 * Warns of what operators want to know of and no caller is told: long holds and waits,
 * renewals that fail, owners that wait for each other. Listens to the engine.
 */
@NullMarked
package io.holdfast.diagnostics;

import org.jspecify.annotations.NullMarked;
