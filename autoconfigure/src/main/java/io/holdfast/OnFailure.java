package io.holdfast;

/**
 * What a call of an annotated method does if the lock is not acquired.
 *
 * @since 0.1.0
 */
public enum OnFailure {

	/**
	 * The call throws a {@link LockNotAcquiredException}, or a
	 * {@link LockUnavailableException} if the lock is unavailable. The future or
	 * publisher of an asynchronous method fails with it.
	 */
	THROW,

	/**
	 * The method does not run and the call returns an empty result: {@code false} or
	 * {@code 0} for a primitive type; an empty collection, map, array, iterator, stream,
	 * {@code Optional} or publisher; a future that is completed with the empty result of
	 * its type; and {@code null} for everything else, including wrappers of primitive
	 * types. A collection or map is new and can be changed.
	 */
	SKIP

}
