/**
 * The sample at work: over HTTP, from the command line, and as two processes.
 */
@NullMarked
package io.holdfast.sample;

import org.jspecify.annotations.NullMarked;
