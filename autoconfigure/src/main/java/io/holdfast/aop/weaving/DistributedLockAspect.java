package io.holdfast.aop.weaving;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.aop.LockedMethods;
import io.holdfast.aop.Reentry;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

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
@DeclarePrecedence("*..AnnotationAsyncExecutionAspect, io.holdfast.aop.weaving.DistributedLockAspect, *")
public class DistributedLockAspect {

	// The annotation is on the method, or on its class if the method is public, or on
	// another annotation there. WovenMethod has the same rule
	private static final String LOCKED = """
			execution(@(io.holdfast.DistributedLock || io.holdfast.DistributedLocks \
			|| @(io.holdfast.DistributedLock || io.holdfast.DistributedLocks) *) * *(..)) \
			|| (execution(public !static * *(..)) \
			&& within(@(io.holdfast.DistributedLock || io.holdfast.DistributedLocks \
			|| @(io.holdfast.DistributedLock || io.holdfast.DistributedLocks) *) *))""";

	private final List<WovenCalls> applications = new ArrayList<>();

	private final Reentry reentry = new Reentry();

	private volatile @Nullable WovenCalls newest;

	private volatile boolean served;

	synchronized void serve(WovenCalls calls) {
		this.applications.add(0, calls);
		this.newest = calls;
		this.served = true;
	}

	synchronized void dismiss(WovenCalls calls) {
		this.applications.remove(calls);
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
		if (!this.served || this.reentry.isUnderWay(method, joinPoint.getThis())) {
			return joinPoint.proceed();
		}
		WovenCalls calls = this.newest;
		if (calls != null) {
			return calls.run(method, joinPoint, this.reentry);
		}
		if (!LockedMethods.isAnnotated(method, method.getDeclaringClass())) {
			return joinPoint.proceed();
		}
		throw new IllegalStateException(
				"%s needs a lock, but the application context with the locks has been closed".formatted(method));
	}

}
