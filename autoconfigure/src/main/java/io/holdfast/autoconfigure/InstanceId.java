package io.holdfast.autoconfigure;

/**
 * Identity of this application context among all that use the same locks.
 *
 * @param value the identity
 */
record InstanceId(String value) {
}
