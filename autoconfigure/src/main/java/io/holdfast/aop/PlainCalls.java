package io.holdfast.aop;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Calls that have ended when the method returns.
 */
final class PlainCalls implements CallKind {

	@Override
	public @Nullable Object run(MethodCall call) throws Throwable {
		List<PlannedLock> locks = call.locks().get();
		return locks.isEmpty() ? call.proceed() : new LockedCall(call).run(locks);
	}

}
