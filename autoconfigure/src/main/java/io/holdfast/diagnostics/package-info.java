/**
 * Warnings in the log for operators: long holds and waits, failing renewals. Listens to
 * the engine.
 */
@NullMarked
package io.holdfast.diagnostics;

import org.jspecify.annotations.NullMarked;
