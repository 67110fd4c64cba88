package io.holdfast.aop.weaving;

import java.util.Arrays;

import io.holdfast.DistributedLock;
import io.holdfast.aop.LockedMethods;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
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
		this.aspect = DistributedLockAspect.aspectOf();
		this.aspect.serve(methods);
	}

	/**
	 * Return whether AspectJ weaves classes when they are loaded, or has woven one of the
	 * beans when it was compiled.
	 * @param beans the beans, where they have to be looked at
	 * @return whether it weaves
	 */
	public static boolean isPossible(ListableBeanFactory beans) {
		return isWoven(Probe.class) || Arrays.stream(beans.getBeanDefinitionNames())
			.map((name) -> beans.getType(name, false))
			.anyMatch((type) -> type != null && isWoven(ClassUtils.getUserClass(type)));
	}

	private static boolean isWoven(Class<?> type) {
		return LockedMethods.annotatedIn(type).map(WovenMethod::new).anyMatch(WovenMethod::hasWovenBody);
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

	/**
	 * Is woven if AspectJ weaves all classes.
	 */
	private static final class Probe {

		@DistributedLock("'probe'")
		void method() {
		}

	}

}
