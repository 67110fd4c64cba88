package io.holdfast.aop;

import java.util.List;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.util.Assert;

/**
 * Runs annotated methods of proxied beans under their locks.
 */
final class DistributedLockInterceptor implements MethodInterceptor {

	private final LockOperationSource operations;

	private final CallContexts contexts;

	private final LockRuntime runtime;

	DistributedLockInterceptor(LockOperationSource operations, CallContexts contexts, LockRuntime runtime) {
		this.operations = operations;
		this.contexts = contexts;
		this.runtime = runtime;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Assert.state(target != null, "A locked method needs an object to be called on");
		Class<?> targetClass = AopUtils.getTargetClass(target);
		LockPlan plan = this.operations.get(invocation.getMethod(), targetClass);
		return (plan != null) ? proceedUnder(plan, call(invocation, target, targetClass), invocation)
				: invocation.proceed();
	}

	private @Nullable Object proceedUnder(LockPlan plan, LockCall call, MethodInvocation invocation) throws Throwable {
		List<PlannedLock> locks = plan.locks(this.contexts.of(call));
		return locks.isEmpty() ? invocation.proceed()
				: new LockedCall(this.runtime, call, invocation::proceed).run(locks);
	}

	private static LockCall call(MethodInvocation invocation, Object target, Class<?> targetClass) {
		return new LockCall(TargetMethods.specific(invocation.getMethod(), targetClass), target, targetClass,
				invocation.getArguments());
	}

}
