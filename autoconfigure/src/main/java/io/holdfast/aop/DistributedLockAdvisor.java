package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.DistributedLock;
import io.holdfast.LockHandle;
import io.holdfast.LockTemplate;
import org.aopalliance.aop.Advice;

import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Has methods with a {@link DistributedLock} annotation run under their locks. An
 * annotation that cannot work is found when the bean is created.
 *
 * @since 0.1.0
 */
public final class DistributedLockAdvisor extends AbstractPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	private final transient Pointcut pointcut;

	private final transient Advice advice;

	/**
	 * Create an advisor.
	 * @param beanFactory what placeholders and beans in annotations refer to
	 * @param template what runs the methods; asked for at the first call
	 * @param defaults what annotations leave open; asked for when it is needed
	 * @param releaseAside gives up a lock without waiting for Redis; called on the thread
	 * that tells losses
	 * @param noteUnused gets a lock under which the method has not run, because another
	 * one was not acquired, before it is released; must not wait for Redis
	 * @param order where to stand among other advisors; a lower one is further outside
	 */
	public DistributedLockAdvisor(ConfigurableBeanFactory beanFactory, Supplier<LockTemplate> template,
			Supplier<LockDefaults> defaults, Consumer<LockHandle> releaseAside, Consumer<LockHandle> noteUnused,
			int order) {
		LockOperationSource operations = LockOperationSource.of(beanFactory, defaults);
		this.pointcut = new AnnotatedMethods(operations);
		this.advice = new DistributedLockInterceptor(LockedMethods.of(beanFactory, operations,
				new LockRuntime(template, defaults, releaseAside, noteUnused)));
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

	private static final class AnnotatedMethods extends StaticMethodMatcherPointcut {

		private final LockOperationSource operations;

		private AnnotatedMethods(LockOperationSource operations) {
			this.operations = operations;
			setClassFilter(operations::hasLocks);
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.operations.get(method, targetClass) != null;
		}

	}

}
