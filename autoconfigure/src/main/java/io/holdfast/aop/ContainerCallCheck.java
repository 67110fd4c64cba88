package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.InstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

/**
 * Refuses annotated methods that the container calls where they would not be locked: on
 * the object itself, which has no proxy yet. Looks at each bean before the first of these
 * calls.
 *
 * @since 0.1.0
 */
public final class ContainerCallCheck implements InstantiationAwareBeanPostProcessor, PriorityOrdered {

	private static final List<String> CALLBACK_ANNOTATIONS = List.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy", "jakarta.annotation.Resource", "jakarta.inject.Inject",
			Autowired.class.getName(), Value.class.getName());

	private final ConfigurableListableBeanFactory beanFactory;

	private final boolean woven;

	/**
	 * Create a check.
	 * @param beanFactory where the beans are
	 * @param woven whether calls on the object itself are locked as well
	 */
	public ContainerCallCheck(ConfigurableListableBeanFactory beanFactory, boolean woven) {
		this.beanFactory = beanFactory;
		this.woven = woven;
	}

	// Before the post-processors that make proxies, which have no priority
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	// An annotation on the class is not meant for the container
	@Override
	public boolean postProcessAfterInstantiation(Object bean, String beanName) {
		Class<?> type = ClassUtils.getUserClass(bean);
		AnnotatedMethod.in(type)
			.stream()
			.filter(AnnotatedMethod::isOnMethod)
			.forEach((found) -> check(found.method(), type, beanName));
		return true;
	}

	private void check(Method method, Class<?> type, String beanName) {
		if (Methods.isCreation(method, type) || isFactoryMethod(method, beanName)) {
			throw new InvalidDistributedLockException(method, "would be for the creation of a bean, not for its use",
					"Put the annotation on a method of a class of its own, and let the bean be an object of that class.");
		}
		if (!this.woven && (isCallback(method, type) || isInitOrDestroyMethod(method, type, beanName))) {
			throw new InvalidDistributedLockException(method,
					"would have no effect: the container calls the method on the object itself, past the proxy",
					"Lock in a method of another bean that this one calls; at startup in an ApplicationRunner, or in a method"
							+ " with @EventListener(ApplicationReadyEvent.class); at the end in stop(Runnable) of a SmartLifecycle"
							+ " with the default phase.");
		}
	}

	private boolean isFactoryMethod(Method method, String beanName) {
		return Stream.of(this.beanFactory.getBeanDefinitionNames())
			.map(this.beanFactory::getBeanDefinition)
			.anyMatch((definition) -> beanName.equals(definition.getFactoryBeanName())
					&& method.getName().equals(definition.getFactoryMethodName()));
	}

	// The container calls stop(Runnable) on the proxy, and that calls stop() on the
	// object
	private static boolean isCallback(Method method, Class<?> type) {
		return CALLBACK_ANNOTATIONS.stream().anyMatch((annotation) -> Methods.isAnnotated(method, annotation))
				|| Stream.concat(Stream.of(InitializingBean.class, DisposableBean.class), awareInterfaces(type))
					.anyMatch((contract) -> Methods.isOf(method, type, contract))
				|| (SmartLifecycle.class.isAssignableFrom(type) && isNamed(method, "stop"));
	}

	private static Stream<Class<?>> awareInterfaces(Class<?> type) {
		return ClassUtils.getAllInterfacesForClassAsSet(type).stream().filter(Aware.class::isAssignableFrom);
	}

	// A prototype is never destroyed. For others, the inferred method is close or
	// shutdown
	private boolean isInitOrDestroyMethod(Method method, Class<?> type, String beanName) {
		if (!this.beanFactory.containsBeanDefinition(beanName)
				|| !(this.beanFactory.getMergedBeanDefinition(beanName) instanceof AbstractBeanDefinition definition)) {
			return false;
		}
		String[] ends = definition.getDestroyMethodNames();
		boolean isInferred = (ends != null) ? Arrays.asList(ends).contains(AbstractBeanDefinition.INFER_METHOD)
				: AutoCloseable.class.isAssignableFrom(type);
		if (isInferred && !DisposableBean.class.isAssignableFrom(type)) {
			ends = new String[] { ClassUtils.hasMethod(type, "close") ? "close" : "shutdown" };
		}
		return isNamed(method, definition.getInitMethodNames()) || (!definition.isPrototype() && isNamed(method, ends));
	}

	private static boolean isNamed(Method method, String @Nullable ... names) {
		return names != null && Arrays.asList(names).contains(method.getName()) && method.getParameterCount() == 0;
	}

}
