package io.holdfast.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.BiConsumer;

import io.holdfast.DistributedLock;
import org.aopalliance.aop.Advice;

import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.StaticMethodMatcher;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Runs methods with a {@link DistributedLock} annotation under their locks. An annotation
 * that cannot work is found when the bean is created, and several templates without a
 * primary one when all have been created.
 *
 * @since 0.1.0
 */
public final class DistributedLockAdvisor extends AbstractPointcutAdvisor implements SmartInitializingSingleton {

	private static final long serialVersionUID = 1L;

	private final transient LockedMethods methods;

	private final transient Pointcut pointcut;

	private final transient Advice advice;

	/**
	 * Create an advisor.
	 * @param methods finds the methods
	 * @param order where to stand among other advisors; a lower one is further outside
	 */
	public DistributedLockAdvisor(LockedMethods methods, int order) {
		this.methods = methods;
		this.pointcut = new ComposablePointcut((type) -> !methods.findIn(type).isEmpty(), new StaticMethodMatcher() {
			@Override
			public boolean matches(Method method, Class<?> targetClass) {
				return methods.get(method, targetClass) != null;
			}
		});
		this.advice = new DistributedLockInterceptor(methods);
		setOrder(order);
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

	/**
	 * Pass on the leases that annotations set and that are renewed.
	 * @param consumer takes each method, and its shortest lease
	 */
	public void forEachLease(BiConsumer<Method, Duration> consumer) {
		this.methods.forEachLease(consumer);
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.methods.requireTemplate();
	}

}
