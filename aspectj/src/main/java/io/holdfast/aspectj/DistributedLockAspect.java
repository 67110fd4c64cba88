package io.holdfast.aspectj;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.aop.LockCall;
import io.holdfast.aop.LockedMethod;
import io.holdfast.aop.LockedMethods;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Runs the annotated methods into which AspectJ has woven it under their locks. Does
 * nothing until an application starts that is configured for it.
 *
 * <p>
 * As with any aspect, there is one for each class loader. It runs outside of all other
 * aspects, except for the one of {@code @Async}: the lock must belong to the thread that
 * runs the method.
 *
 * @since 0.1.0
 */
@Aspect
@DeclarePrecedence("*..AnnotationAsyncExecutionAspect, io.holdfast.aspectj.DistributedLockAspect, *")
public class DistributedLockAspect {

	// The annotation is on the method, or on its class if the method is public, or on
	// another annotation there. WovenMethod has the same rule
	private static final String LOCKED = """
			execution(@(io.holdfast.DistributedLock \
			|| @(io.holdfast.DistributedLock || io.holdfast.RunOnce) *) * *(..)) \
			|| (execution(public !static * *(..)) \
			&& within(@(io.holdfast.DistributedLock \
			|| @(io.holdfast.DistributedLock || io.holdfast.RunOnce) *) *))""";

	private static final DistributedLockAspect instance = new DistributedLockAspect();

	private final List<LockedMethods> applications = new ArrayList<>();

	private final Reentry reentry = new Reentry();

	private volatile @Nullable LockedMethods newest;

	private volatile boolean wasAdded;

	/**
	 * Return the aspect. Code that is woven at compile time calls this, and AspectJ's
	 * agent would write it otherwise.
	 * @return the only one
	 */
	public static DistributedLockAspect aspectOf() {
		return instance;
	}

	synchronized void add(LockedMethods methods) {
		this.applications.add(0, methods);
		this.newest = methods;
		this.wasAdded = true;
	}

	synchronized void remove(LockedMethods methods) {
		this.applications.remove(methods);
		this.newest = this.applications.isEmpty() ? null : this.applications.get(0);
	}

	/**
	 * Run a call under its locks.
	 * @param joinPoint the call
	 * @return what the call returns
	 * @throws Throwable what the call ends with
	 */
	@Around(value = LOCKED, argNames = "joinPoint")
	public @Nullable Object lock(ProceedingJoinPoint joinPoint) throws Throwable {
		Method method = ((MethodSignature) joinPoint.getSignature()).getMethod();
		if (!this.wasAdded || this.reentry.arrive(method, joinPoint.getThis())) {
			return joinPoint.proceed();
		}
		LockedMethods methods = this.newest;
		if (methods != null) {
			return run(methods, method, joinPoint);
		}
		if (!LockedMethods.isAnnotated(method, method.getDeclaringClass())) {
			return joinPoint.proceed();
		}
		throw new IllegalStateException(
				"%s needs a lock, but the application context with the locks has been closed".formatted(method));
	}

	// The annotations that count are those of the method that is run, also when it is
	// called by super
	private @Nullable Object run(LockedMethods methods, Method method, ProceedingJoinPoint joinPoint) throws Throwable {
		LockedMethod locked = methods.get(method, method.getDeclaringClass());
		if (locked == null) {
			return joinPoint.proceed();
		}
		Object target = new WovenMethod(method).requireTarget(joinPoint.getThis());
		LockCall call = new LockCall(method, target, AopUtils.getTargetClass(target), joinPoint.getArgs());
		return locked.run(call, new Proceeding(joinPoint, call, this.reentry));
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
