package io.holdfast;

/**
 * What becomes of an annotated method whose lock was not acquired.
 *
 * @since 0.1.0
 */
public enum OnFailure {

	/**
	 * The call ends with a {@link LockNotAcquiredException}, or a
	 * {@link LockUnavailableException} when the lock could not be asked for. So does the
	 * future or publisher of an asynchronous method.
	 */
	THROW,

	/**
	 * The method is not run and the call returns an empty result: {@code false} or
	 * {@code 0} for a primitive type; an empty collection, map, array, iterator, stream,
	 * {@code Optional} or publisher; a completed future of what is empty; and
	 * {@code null} for everything else, wrappers of primitive types included. A
	 * collection or map is a new one that can be changed.
	 */
	SKIP

}
