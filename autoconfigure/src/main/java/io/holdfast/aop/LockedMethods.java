package io.holdfast.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;

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
	 * Return what runs the methods of an application.
	 */
	static LockedMethods of(BeanFactory beanFactory, LockOperationSource operations, LockRuntime runtime) {
		return new LockedMethods(operations, new CallContexts(new BeanFactoryResolver(beanFactory)), runtime);
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
		return run(plan, new LockCall(Methods.specific(method, targetClass), target, targetClass, args), body);
	}

	/**
	 * Run a call.
	 * @param plan what to do for it
	 * @param call what was called
	 * @param body runs the method itself
	 */
	@Nullable Object run(LockPlan plan, LockCall call, Body body) throws Throwable {
		return plan.kind().run(new MethodCall(this.runtime, call, () -> plan.locks(this.contexts.of(call)), body));
	}

}
