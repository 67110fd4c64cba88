package io.holdfast.aop;

import java.util.Arrays;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.core.KotlinDetector;
import org.springframework.util.Assert;

/**
 * Runs annotated methods of proxied beans under their locks. Where there are several
 * proxies around a bean, one of them locks: the outermost, so that the lock encloses what
 * the others do.
 */
final class DistributedLockInterceptor implements MethodInterceptor {

	private final Reentry reentry = new Reentry();

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
		if (locked == null) {
			return invocation.proceed();
		}
		Object next = (target instanceof Advised) ? nextThatLocks(target) : null;
		if (next != null && mustLockInside(locked, target)) {
			return invocation.proceed();
		}
		LockedMethod.Body proceeding = new Proceeding(invocation);
		LockedMethod.Body body = (next != null) ? new Marked(proceeding, this.reentry, locked, next) : proceeding;
		boolean hasLocks = invocation instanceof ProxyMethodInvocation proxied
				&& this.reentry.isUnderWay(locked.method(), proxied.getProxy());
		return hasLocks ? body.proceed() : locked.run(
				new LockCall(locked.method(), target, Methods.userClass(targetClass), invocation.getArguments()), body);
	}

	private @Nullable Object nextThatLocks(Object target) {
		return proxies(target).filter((proxy) -> has(proxy, (advisor) -> advisor.getAdvice() == this))
			.findFirst()
			.orElse(null);
	}

	// The lock must belong to the thread that runs the method, and a suspend function is
	// called later than its proxy
	private static boolean mustLockInside(LockedMethod locked, Object target) {
		return KotlinDetector.isSuspendingFunction(locked.method())
				|| (locked instanceof WorkerMethod && proxies(target).anyMatch(
						(proxy) -> has(proxy, (advisor) -> advisor.getAdvice() instanceof AsyncExecutionInterceptor)));
	}

	private static Stream<Advised> proxies(Object target) {
		return Stream.iterate(target, Advised.class::isInstance, DistributedLockInterceptor::behind)
			.map(Advised.class::cast);
	}

	private static @Nullable Object behind(Object proxy) {
		return (((Advised) proxy).getTargetSource() instanceof HotSwappableTargetSource swappable)
				? swappable.getTarget() : AopProxyUtils.getSingletonTarget(proxy);
	}

	private static boolean has(Advised proxy, Predicate<Advisor> condition) {
		return Arrays.stream(proxy.getAdvisors()).anyMatch(condition);
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

	private record Marked(LockedMethod.Body body, Reentry reentry, LockedMethod locked,
			Object next) implements LockedMethod.Body {

		@Override
		public @Nullable Object proceed() throws Throwable {
			return this.reentry.call(this.locked.method(), this.next, this.body);
		}

		@Override
		public LockedMethod.Body again() {
			return new Marked(this.body.again(), this.reentry, this.locked, this.next);
		}

	}

}
