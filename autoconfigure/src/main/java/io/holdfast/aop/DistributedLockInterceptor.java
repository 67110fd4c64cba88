package io.holdfast.aop;

import java.util.Arrays;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.util.Assert;

/**
 * Runs annotated methods of proxied beans under their locks. Where several proxies around
 * a bean would lock, the innermost does, on the thread that runs the method.
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
		Class<?> targetClass = Methods.targetClass(target);
		LockedMethod locked = this.methods.get(invocation.getMethod(), targetClass);
		if (locked == null || isLockedInside(target)) {
			return invocation.proceed();
		}
		return locked.run(
				new LockCall(locked.method(), target, Methods.userClass(targetClass), invocation.getArguments()),
				new Proceeding(invocation));
	}

	private boolean isLockedInside(Object target) {
		return target instanceof Advised && proxies(target)
			.anyMatch((proxy) -> Arrays.stream(proxy.getAdvisors()).anyMatch((advisor) -> advisor.getAdvice() == this));
	}

	private static Stream<Advised> proxies(Object target) {
		return Stream.iterate(target, Advised.class::isInstance, DistributedLockInterceptor::targetOf)
			.map(Advised.class::cast);
	}

	private static @Nullable Object targetOf(Object proxy) {
		return (((Advised) proxy).getTargetSource() instanceof HotSwappableTargetSource swappable)
				? swappable.getTarget() : AopProxyUtils.getSingletonTarget(proxy);
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

		// Aspects ask the thread for the invocation, and it may be another thread now
		private static LockedMethod.Body exposed(MethodInvocation invocation) {
			return () -> ExposeInvocationInterceptor.INSTANCE.invoke(invocation);
		}

	}

}
