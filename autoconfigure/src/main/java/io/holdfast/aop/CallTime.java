package io.holdfast.aop;

import java.time.Duration;
import java.util.function.Supplier;

import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;

/**
 * The time of a call: the waits for all of its locks begin with it.
 */
final class CallTime {

	private final long start = System.nanoTime();

	private final Supplier<LockDefaults> defaults;

	/**
	 * Create the time of a call that begins now.
	 * @param defaults how long a request waits that does not say so
	 */
	CallTime(Supplier<LockDefaults> defaults) {
		this.defaults = defaults;
	}

	/**
	 * Return a request that waits for what is left of its time.
	 */
	LockRequest shortened(LockRequest request) {
		Duration waitFor = (request.waitFor() != null) ? request.waitFor() : this.defaults.get().waitFor();
		if (waitFor.isNegative()) {
			return request;
		}
		Duration left = waitFor.minus(elapsed());
		return request.waitFor(left.isNegative() ? Duration.ZERO : left);
	}

	/**
	 * Return a failure that counts the wait from the beginning of the call.
	 */
	LockNotAcquiredException sinceTheStart(LockNotAcquiredException failure) {
		LockNotAcquiredException all = new LockNotAcquiredException(failure.getKey(), elapsed(), failure.getHolder());
		all.initCause(failure);
		return all;
	}

	private Duration elapsed() {
		return Duration.ofNanos(System.nanoTime() - this.start);
	}

}
