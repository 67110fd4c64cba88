package io.holdfast;

/**
 * What becomes of an annotated method whose lock was not acquired in time.
 *
 * @since 0.1.0
 */
public enum OnFailure {

	/**
	 * The call ends with a {@link LockNotAcquiredException}, as does the future or
	 * publisher of an asynchronous method.
	 */
	THROW,

	/**
	 * The method is not run and the call returns an empty result: {@code false} or
	 * {@code 0} for a primitive type, an empty {@code Optional} (or {@code OptionalInt}
	 * and the like), an empty publisher, a completed future of {@code null}, and
	 * {@code null} for everything else, wrappers of primitive types and collections
	 * included.
	 */
	SKIP

}
