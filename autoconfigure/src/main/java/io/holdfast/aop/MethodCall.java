package io.holdfast.aop;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A call of a locked method, to be run by its {@link CallKind}.
 *
 * @param runtime what to run it with
 * @param call what was called
 * @param locks says which locks it needs, outermost first; none when it is to run without
 * @param body what to run
 */
record MethodCall(LockRuntime runtime, LockCall call, Supplier<List<PlannedLock>> locks, Body body) {

	@Nullable Object proceed() throws Throwable {
		return this.body.proceed();
	}

}
