/**
 * What the log tells operators and no caller is told: long holds and waits, renewals that
 * fail, owners that wait for each other, locks that were released by force. Listens to
 * the engine.
 */
@NullMarked
package io.holdfast.diagnostics;

import org.jspecify.annotations.NullMarked;
