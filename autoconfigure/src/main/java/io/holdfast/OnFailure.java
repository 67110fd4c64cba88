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
	 * The method is not run and the call returns an empty result: {@code null},
	 * {@code false}, {@code 0}, an empty {@code Optional} or an empty publisher.
	 */
	SKIP

}
