package io.holdfast.aop;

import io.holdfast.LockException;
import org.jspecify.annotations.Nullable;

@FunctionalInterface
interface FailureReaction {

	FailureReaction RETHROW = (call, failure) -> {
		throw failure;
	};

	// Called when the call holds no lock any more
	@Nullable Object react(LockCall call, LockException failure) throws Throwable;

}
