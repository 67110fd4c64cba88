package io.holdfast.aop;

import org.jspecify.annotations.Nullable;

/**
 * Runs calls under locks. When a call has ended, and the locks are to be released,
 * depends on what its method returns.
 */
interface CallKind {

	/**
	 * Run a call.
	 * @return what the call returns
	 * @throws Throwable what the call ends with
	 */
	@Nullable Object run(MethodCall call) throws Throwable;

}
