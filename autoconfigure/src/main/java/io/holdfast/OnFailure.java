package io.holdfast;

/**
 * What becomes of an annotated method whose lock was not acquired in time.
 *
 * @since 0.1.0
 */
public enum OnFailure {

	/**
	 * The call ends with a {@link LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * The method is not run and the call returns an empty result: {@code false} or
	 * {@code 0} for a primitive type, an empty {@code Optional} (or {@code OptionalInt}
	 * and the like), an empty publisher, and {@code null} for everything else, wrappers
	 * of primitive types and collections included.
	 */
	SKIP

}
