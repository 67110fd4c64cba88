package io.holdfast.faults.worker;

import java.time.Duration;

import io.holdfast.LockRequest;

/**
 * What to do in one attempt.
 *
 * @param request what to ask for
 * @param way how to ask
 * @param work how long to stay
 * @param restAfter how long to rest afterwards
 */
record Plan(LockRequest request, Way way, Duration work, Duration restAfter) {

	/**
	 * How to ask for a lock.
	 */
	enum Way {

		/** Code that is run under it. */
		EXECUTE,

		/** A handle, which the thread releases. */
		ACQUIRE,

		/** Code that is run under it, on another thread. */
		EXECUTE_ASYNC

	}

}
