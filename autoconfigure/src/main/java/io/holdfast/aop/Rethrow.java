package io.holdfast.aop;

import io.holdfast.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * Tells the caller.
 */
record Rethrow() implements FailureReaction {

	@Override
	public @Nullable Object instead(LockCall call, LockNotAcquiredException failure) throws LockNotAcquiredException {
		throw failure;
	}

}
