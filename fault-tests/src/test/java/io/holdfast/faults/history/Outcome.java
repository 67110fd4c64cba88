package io.holdfast.faults.history;

/**
 * How an attempt has ended for its caller.
 */
public enum Outcome {

	/** The lock was released. */
	RELEASED,

	/** The section has ended, and its caller was not told how the release went. */
	DONE,

	/** The release has not got through yet. */
	PENDING,

	/** The caller was told that the lock was lost. */
	LOST,

	/** The lock was not granted in time. */
	NOT_ACQUIRED,

	/** Redis could not be asked. */
	UNAVAILABLE,

	/** Something that no caller should see. */
	FAILED

}
