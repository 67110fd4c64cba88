/**
 * Wires Holdfast into Spring Boot.
 */
@NullMarked
package io.holdfast.autoconfigure;

import org.jspecify.annotations.NullMarked;
