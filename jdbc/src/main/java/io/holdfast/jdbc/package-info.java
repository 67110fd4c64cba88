/**
 * Locks in a relational database.
 */
@NullMarked
package io.holdfast.jdbc;

import org.jspecify.annotations.NullMarked;
