package io.holdfast.aop.weaving;

import java.lang.reflect.Method;

import io.holdfast.aop.LockCall;
import io.holdfast.aop.LockedMethod;
import io.holdfast.aop.LockedMethods;
import org.aspectj.lang.ProceedingJoinPoint;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Runs woven methods under the locks of an application. The annotations that count are
 * those of the method that is run, also when it is called by {@code super}.
 */
final class WovenCalls {

	private final LockedMethods methods;

	WovenCalls(LockedMethods methods) {
		this.methods = methods;
	}

	@Nullable Object run(Method method, ProceedingJoinPoint joinPoint, Reentry reentry) throws Throwable {
		LockedMethod locked = this.methods.get(method, method.getDeclaringClass());
		if (locked == null) {
			return joinPoint.proceed();
		}
		Object target = new WovenMethod(method).requireTarget(joinPoint.getThis());
		LockCall call = new LockCall(method, target, AopUtils.getTargetClass(target), joinPoint.getArgs());
		return locked.run(call, new Proceeding(joinPoint, call, reentry));
	}

	private record Proceeding(ProceedingJoinPoint joinPoint, LockCall call,
			Reentry reentry) implements LockedMethod.Body {

		@Override
		public @Nullable Object proceed() throws Throwable {
			return this.joinPoint.proceed();
		}

		@Override
		public LockedMethod.Body again() {
			return () -> this.reentry.call(this.call.method(), this.call.target(), this.call.args());
		}

	}

}
