/**
 * Tests for what the page is told, and what it asks for.
 */
@NullMarked
package io.holdfast.sample.live;

import org.jspecify.annotations.NullMarked;
