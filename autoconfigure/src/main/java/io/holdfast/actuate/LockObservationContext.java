package io.holdfast.actuate;

import java.util.List;

import io.holdfast.LockHandle;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.ReleaseResult;
import io.micrometer.observation.Observation;

/**
 * The observation context of a section that runs under a lock.
 *
 * @since 0.1.0
 */
public class LockObservationContext extends Observation.Context {

	private final LockRequest request;

	private final String lockName;

	/**
	 * Create a context.
	 * @param request what is asked for
	 * @param lockName the lock's name of low cardinality, as metrics are tagged with it
	 */
	public LockObservationContext(LockRequest request, String lockName) {
		this.request = request;
		this.lockName = lockName;
	}

	/**
	 * Return what was asked for.
	 * @return the request; its own name is as the user wrote it, and may be of any
	 * cardinality
	 */
	public LockRequest getRequest() {
		return this.request;
	}

	/**
	 * Return the lock's name as metrics are tagged with it.
	 * @return the name, {@code none} or {@code other}
	 */
	public String getLockName() {
		return this.lockName;
	}

	/**
	 * Return whether the lock is exclusive or shared.
	 * @return the mode
	 */
	public LockMode getMode() {
		return this.request.mode();
	}

	/**
	 * Return the keys that are locked.
	 * @return the keys, with the lock's name in front when it has one
	 */
	public List<String> getKeys() {
		return this.request.lockKeys();
	}

	/**
	 * Return the fencing tokens.
	 * @return the token of each of the {@link #getKeys() keys}, in their order; empty
	 * before the section has begun
	 */
	public List<Long> getTokens() {
		LockHandle lock = get(LockHandle.class);
		return (lock != null) ? lock.keys().stream().map(lock::fencingToken).toList() : List.of();
	}

	/**
	 * Return what has become of the section.
	 * @return the outcome so far
	 */
	public Outcome getOutcome() {
		ReleaseResult result = get(ReleaseResult.class);
		if (result != null) {
			return (result == ReleaseResult.LOST) ? Outcome.LOST : Outcome.COMPLETED;
		}
		return (getError() != null) ? Outcome.FAILED : Outcome.RUNNING;
	}

	/**
	 * What becomes of a section.
	 */
	public enum Outcome {

		/**
		 * It has not ended.
		 */
		RUNNING,

		/**
		 * It ended normally, and the lock was held to the end.
		 */
		COMPLETED,

		/**
		 * It threw an exception, or the release of the lock did.
		 */
		FAILED,

		/**
		 * The lock was lost before its release, whatever else happened.
		 */
		LOST

	}

}
