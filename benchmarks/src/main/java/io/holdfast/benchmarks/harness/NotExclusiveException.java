package io.holdfast.benchmarks.harness;

/**
 * Says that a lock did not keep others out.
 */
final class NotExclusiveException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	NotExclusiveException(String message) {
		super("NOT EXCLUSIVE: " + message);
	}

}
