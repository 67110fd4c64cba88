package io.holdfast.aop.weaving;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.aop.LockedMethods;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * Has annotated methods run under their locks into which AspectJ has woven this. Does
 * nothing before an application serves it that is configured for it.
 *
 * <p>
 * There is one in a class loader, as of any aspect. It stands outside of all others,
 * except for what passes calls on to another thread: that one has to have the lock.
 *
 * @since 0.1.0
 */
@Aspect
@DeclarePrecedence("*..AnnotationAsyncExecutionAspect, io.holdfast.aop.weaving.DistributedLockAspect, *")
public class DistributedLockAspect {

	/**
	 * Annotations on the method itself, or on its class if it is public; composed ones
	 * when they are annotated themselves. {@link WovenMethod} knows the same.
	 */
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

	/**
	 * Have calls run under the locks of an application, instead of those of earlier ones.
	 */
	synchronized void serve(WovenCalls calls) {
		this.applications.add(0, calls);
		this.newest = calls;
		this.served = true;
	}

	/**
	 * Do without an application that is about to end.
	 */
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
				"%s is to run under a lock, and the application that had locks has ended".formatted(method));
	}

}
