package io.holdfast.aop;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.LockHandle;
import io.holdfast.LockTemplate;
import org.aspectj.lang.Aspects;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

/**
 * Has methods with a lock woven into them run under the locks of this application, and
 * refuses beans that would run without: their annotations cannot work, or AspectJ has not
 * seen them.
 *
 * @since 0.1.0
 */
public final class LockWeaving implements BeanPostProcessor, PriorityOrdered, DisposableBean {

	private final ConcurrentHashMap<Class<?>, Boolean> checked = new ConcurrentHashMap<>();

	private final LockOperationSource operations;

	private final WovenCalls calls;

	private final DistributedLockAspect aspect;

	/**
	 * Begin to lock, until this is destroyed.
	 * @param beanFactory what placeholders and beans in annotations refer to
	 * @param template what runs the methods; asked for at the first call
	 * @param defaults what annotations leave open; asked for when it is needed
	 * @param releaseAside gives up a lock without waiting for Redis; called on the thread
	 * that tells losses
	 * @param noteUnused gets a lock under which the method has not run, because another
	 * one was not acquired, before it is released
	 */
	public LockWeaving(ConfigurableBeanFactory beanFactory, Supplier<LockTemplate> template,
			Supplier<LockDefaults> defaults, Consumer<LockHandle> releaseAside, Consumer<LockHandle> noteUnused) {
		this.operations = LockOperationSource.of(beanFactory, defaults);
		this.calls = new WovenCalls(this.operations, LockedMethods.of(beanFactory, this.operations,
				new LockRuntime(template, defaults, releaseAside, noteUnused)));
		this.aspect = Aspects.aspectOf(DistributedLockAspect.class);
		this.aspect.serve(this.calls);
	}

	/**
	 * Return whether there is anything that weaves, judging by what it makes of the
	 * aspect. Needs AspectJ on the class path.
	 * @return {@code true} if there is
	 */
	public static boolean isPossible() {
		return Aspects.hasAspect(DistributedLockAspect.class);
	}

	/**
	 * Before those that make proxies, which have no priority.
	 */
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	/**
	 * Check a bean.
	 * @param bean the bean
	 * @param beanName its name
	 * @return the bean as it is
	 * @throws InvalidDistributedLockException when an annotation on it cannot work, or
	 * would have no effect
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
		if (!this.checked.containsKey(type)) {
			check(type);
			this.checked.put(type, true);
		}
		return bean;
	}

	private void check(Class<?> type) {
		this.operations.lockedMethods(type).stream().map(WovenMethod::new).forEach((method) -> {
			method.requireLockable();
			method.requireWoven();
		});
	}

	/**
	 * From now on, methods that are to run under locks of this application fail.
	 */
	@Override
	public void destroy() {
		this.aspect.dismiss(this.calls);
	}

}
