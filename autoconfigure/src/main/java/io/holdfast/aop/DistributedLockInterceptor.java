package io.holdfast.aop;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.Assert;

/**
 * Runs annotated methods of proxied beans under their locks.
 */
final class DistributedLockInterceptor implements MethodInterceptor {

	private final LockedMethods methods;

	DistributedLockInterceptor(LockedMethods methods) {
		this.methods = methods;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Assert.state(target != null, "A locked method needs an object to be called on");
		Class<?> targetClass = AopUtils.getTargetClass(target);
		LockedMethod locked = this.methods.get(invocation.getMethod(), targetClass);
		if (locked == null) {
			return invocation.proceed();
		}
		return locked.run(new LockCall(locked.method(), target, targetClass, invocation.getArguments()),
				new Proceeding(invocation));
	}

	private record Proceeding(MethodInvocation invocation) implements LockedMethod.Body {

		@Override
		public @Nullable Object proceed() throws Throwable {
			return this.invocation.proceed();
		}

		@Override
		public LockedMethod.Body again() {
			return (this.invocation instanceof ProxyMethodInvocation proxied) ? exposed(proxied.invocableClone())
					: this;
		}

		/**
		 * Aspects ask the thread for the invocation, and it may be another thread now.
		 */
		private static LockedMethod.Body exposed(MethodInvocation invocation) {
			return () -> ExposeInvocationInterceptor.INSTANCE.invoke(invocation);
		}

	}

}
