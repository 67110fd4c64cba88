package io.holdfast.aspectj;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.aop.LockedMethods;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

/**
 * Runs woven methods under the locks of this application, and refuses beans whose methods
 * would run without a lock: their annotations cannot work, or AspectJ has not woven them.
 */
final class LockWeaving implements BeanPostProcessor, PriorityOrdered, SmartInitializingSingleton,
		ApplicationListener<ContextRefreshedEvent>, DisposableBean {

	private final ListableBeanFactory beans;

	private final LockedMethods methods;

	private final DistributedLockAspect aspect;

	// Begin to lock, until this bean is destroyed
	LockWeaving(ListableBeanFactory beans, LockedMethods methods) {
		this.beans = beans;
		this.methods = methods;
		this.aspect = DistributedLockAspect.aspectOf();
		this.aspect.add(methods);
	}

	// When classes are loaded, or one of the beans was when it was compiled
	static boolean isPossible(ListableBeanFactory beans) {
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
		check(bean);
		return bean;
	}

	// For beans of a child context, which this one does not process
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() instanceof ConfigurableApplicationContext context
				&& context.getBeanFactory() != this.beans) {
			Stream.of(context.getBeanFactory().getSingletonNames())
				.map(context.getBeanFactory()::getSingleton)
				.filter(Objects::nonNull)
				.forEach(this::check);
		}
	}

	private void check(Object bean) {
		Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
		this.methods.findIn(type).stream().map(WovenMethod::new).forEach((method) -> {
			method.requireLockable();
			method.requireWoven();
		});
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.methods.requireTemplate();
	}

	// From now on, methods that are to run under locks of this application fail
	@Override
	public void destroy() {
		this.aspect.remove(this.methods);
	}

	// Woven if AspectJ weaves all classes
	private static final class Probe {

		@DistributedLock("'probe'")
		void method() {
		}

	}

}
