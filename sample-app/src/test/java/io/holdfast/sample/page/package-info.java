/**
 * Tests for the page in a browser.
 */
@NullMarked
package io.holdfast.sample.page;

import org.jspecify.annotations.NullMarked;
