package io.holdfast.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Runs calls of annotated methods under their locks, however they were intercepted.
 */
final class LockedMethods {

	private final LockOperationSource operations;

	private final CallContexts contexts;

	private final LockRuntime runtime;

	LockedMethods(LockOperationSource operations, CallContexts contexts, LockRuntime runtime) {
		this.operations = operations;
		this.contexts = contexts;
		this.runtime = runtime;
	}

	/**
	 * Run a call.
	 * @param method the method that was called
	 * @param target the object it was called on
	 * @param targetClass the class of the object, as the user wrote it
	 * @param args the arguments
	 * @param body runs the method itself
	 */
	@Nullable Object run(Method method, Object target, Class<?> targetClass, @Nullable Object[] args, Body body)
			throws Throwable {
		LockPlan plan = this.operations.get(method, targetClass);
		if (plan == null) {
			return body.proceed();
		}
		LockCall call = new LockCall(TargetMethods.specific(method, targetClass), target, targetClass, args);
		return plan.kind().run(new MethodCall(this.runtime, call, () -> plan.locks(this.contexts.of(call)), body));
	}

}
