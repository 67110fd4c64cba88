package io.holdfast.faults.history;

/**
 * How an attempt has ended for its caller.
 */
public enum Outcome {

	RELEASED,

	/** The section has ended, and its caller was not told how the release went. */
	DONE,

	PENDING, LOST, NOT_ACQUIRED, UNAVAILABLE,

	/** Something that no caller should see. */
	FAILED

}
