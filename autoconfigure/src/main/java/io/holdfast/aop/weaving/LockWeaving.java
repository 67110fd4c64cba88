package io.holdfast.aop.weaving;

import io.holdfast.aop.LockedMethods;
import org.aspectj.lang.Aspects;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

/**
 * Runs woven methods under the locks of this application, and refuses beans whose methods
 * would run without a lock: their annotations cannot work, or AspectJ has not woven them.
 *
 * @since 0.1.0
 */
public final class LockWeaving
		implements BeanPostProcessor, PriorityOrdered, SmartInitializingSingleton, DisposableBean {

	private final LockedMethods methods;

	private final DistributedLockAspect aspect;

	/**
	 * Begin to lock, until this bean is destroyed.
	 * @param methods finds the methods
	 */
	public LockWeaving(LockedMethods methods) {
		this.methods = methods;
		this.aspect = Aspects.aspectOf(DistributedLockAspect.class);
		this.aspect.serve(methods);
	}

	/**
	 * Return whether AspectJ weaves: only then does the aspect have an instance. Needs
	 * AspectJ on the class path.
	 * @return whether it weaves
	 */
	public static boolean isPossible() {
		return Aspects.hasAspect(DistributedLockAspect.class);
	}

	// Before the post-processors that make proxies, which have no priority
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
		this.methods.findIn(type).stream().map(WovenMethod::new).forEach((method) -> {
			method.requireLockable();
			method.requireWoven();
		});
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.methods.requireTemplate();
	}

	// From now on, methods that are to run under locks of this application fail
	@Override
	public void destroy() {
		this.aspect.dismiss(this.methods);
	}

}
