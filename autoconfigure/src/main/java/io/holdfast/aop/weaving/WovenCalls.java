package io.holdfast.aop.weaving;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;

import io.holdfast.aop.LockCall;
import io.holdfast.aop.LockedMethod;
import io.holdfast.aop.LockedMethods;
import io.holdfast.aop.Reentry;
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

		// AspectJ's own proceed() works reliably only once, and only on the thread of the
		// call: when other aspects are woven into the method as well, it would leave out
		// some of them
		@Override
		public LockedMethod.Body again() {
			return () -> {
				MethodHandle handle = handle(this.call.method()).bindTo(this.call.target());
				return this.reentry.call(this.call.method(), this.call.target(),
						() -> handle.invokeWithArguments(this.call.args()));
			};
		}

		// Return what calls a method, and not one that overrides it
		private static MethodHandle handle(Method method) throws IllegalAccessException {
			Class<?> declaring = method.getDeclaringClass();
			return MethodHandles.privateLookupIn(declaring, MethodHandles.lookup())
				.unreflectSpecial(method, declaring)
				.asFixedArity();
		}

	}

}
