package io.holdfast.aop;

import io.holdfast.LockException;
import org.jspecify.annotations.Nullable;

/**
 * What to do for a call whose lock was not acquired. Equal reactions do the same.
 */
@FunctionalInterface
interface FailureReaction {

	/**
	 * Throws the exception to the caller.
	 */
	FailureReaction RETHROW = (call, failure) -> {
		throw failure;
	};

	/**
	 * React, instead of running the method. No lock of the call is held any more.
	 * @param call the call
	 * @param failure what says that the lock was not acquired
	 * @return what the call returns
	 * @throws Throwable what the call ends with
	 */
	@Nullable Object instead(LockCall call, LockException failure) throws Throwable;

}
