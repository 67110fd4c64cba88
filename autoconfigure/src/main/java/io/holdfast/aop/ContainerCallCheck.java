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
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

/**
 * Refuses annotated methods that the container calls where they would not be locked: on
 * the object itself, which has no proxy yet, or when locks have been released already.
 * Looks at each bean before the first of these calls.
 *
 * @since 0.1.0
 */
public final class ContainerCallCheck implements InstantiationAwareBeanPostProcessor, PriorityOrdered {

	private static final String LATER = "Lock in an ApplicationRunner, in a method with @EventListener(ApplicationReadyEvent.class),"
			+ " or in a method of another bean that this one calls.";

	private static final String EARLIER = "Make the bean a SmartLifecycle with the default phase, and put the annotation on its stop(Runnable):"
			+ " such beans stop before locks do.";

	private static final List<String> INITIALIZING = List.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.Resource", "jakarta.inject.Inject", Autowired.class.getName(), Value.class.getName());

	private final ConfigurableListableBeanFactory beanFactory;

	private final int phase;

	private final boolean woven;

	/**
	 * Create a check.
	 * @param beanFactory where the beans are
	 * @param phase in which the locks stop
	 * @param woven whether calls on the object itself are locked as well
	 */
	public ContainerCallCheck(ConfigurableListableBeanFactory beanFactory, int phase, boolean woven) {
		this.beanFactory = beanFactory;
		this.phase = phase;
		this.woven = woven;
	}

	// Before the post-processors that make proxies, which have no priority
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public boolean postProcessAfterInstantiation(Object bean, String beanName) {
		Class<?> type = ClassUtils.getUserClass(bean);
		annotatedIn(type).forEach((method) -> check(method, type, beanName));
		return true;
	}

	// A bean may learn late in which phase it stops
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Class<?> type = ClassUtils.getUserClass(bean);
		annotatedIn(type).filter((method) -> isStop(method, type)).forEach((method) -> {
			int stopped = (bean instanceof Phased phased) ? phased.getPhase() : 0;
			refuse(stopped <= this.phase, method,
					"cannot work: the bean stops in phase %d, when locks have been released".formatted(stopped),
					EARLIER);
		});
		return bean;
	}

	// An annotation on the class is not meant for the container
	private static Stream<Method> annotatedIn(Class<?> type) {
		return LockAnnotations.in(type).stream().filter(LockAnnotations::areOnMethod).map(LockAnnotations::method);
	}

	private void check(Method method, Class<?> type, String beanName) {
		AbstractBeanDefinition definition = definition(beanName);
		refuse(Methods.isCreation(method, type) || isFactoryMethod(method, beanName), method,
				"would be for the creation of a bean, not for its use",
				"Put the annotation on a method of a class of its own, and let the bean be an object of that class.");
		refuse(Methods.isDestruction(method, type) || (definition != null && isDestroyMethod(method, type, definition)),
				method, "cannot work: the container calls the method when locks have been released", EARLIER);
		refuse(!this.woven && isInitialization(method, type, definition), method,
				"would have no effect: the container calls the method on the object itself, which has no proxy yet",
				LATER);
		refuse(!this.woven && isStop(method, type) && method.getParameterCount() == 0
				&& SmartLifecycle.class.isAssignableFrom(type), method,
				"would have no effect: stop(Runnable), which the container calls, calls the method on the object itself",
				"Put the annotation on stop(Runnable): override it, and call SmartLifecycle.super.stop(callback) in it.");
	}

	private @Nullable AbstractBeanDefinition definition(String beanName) {
		return (this.beanFactory.containsBeanDefinition(beanName)
				&& this.beanFactory.getMergedBeanDefinition(beanName) instanceof AbstractBeanDefinition definition)
						? definition : null;
	}

	private boolean isFactoryMethod(Method method, String beanName) {
		return Stream.of(this.beanFactory.getBeanDefinitionNames())
			.map(this.beanFactory::getBeanDefinition)
			.anyMatch((definition) -> beanName.equals(definition.getFactoryBeanName())
					&& method.getName().equals(definition.getFactoryMethodName()));
	}

	// Nothing is called at the end of a prototype. The method that is inferred for others
	// is close or shutdown
	private static boolean isDestroyMethod(Method method, Class<?> type, AbstractBeanDefinition definition) {
		if (definition.isPrototype()) {
			return false;
		}
		String[] names = definition.getDestroyMethodNames();
		boolean inferred = (names != null) ? Arrays.asList(names).contains(AbstractBeanDefinition.INFER_METHOD)
				: AutoCloseable.class.isAssignableFrom(type);
		if (inferred && !DisposableBean.class.isAssignableFrom(type)) {
			return isNamed(method, ClassUtils.hasMethod(type, "close") ? "close" : "shutdown");
		}
		return isNamed(method, names);
	}

	private static boolean isNamed(Method method, String @Nullable ... names) {
		return names != null && Arrays.asList(names).contains(method.getName()) && method.getParameterCount() == 0;
	}

	private static boolean isInitialization(Method method, Class<?> type, @Nullable AbstractBeanDefinition definition) {
		return INITIALIZING.stream().anyMatch((annotation) -> Methods.isAnnotated(method, annotation))
				|| Methods.isOf(method, type, InitializingBean.class)
				|| ClassUtils.getAllInterfacesForClassAsSet(type)
					.stream()
					.anyMatch((contract) -> Aware.class.isAssignableFrom(contract)
							&& Methods.isOf(method, type, contract))
				|| (definition != null && isNamed(method, definition.getInitMethodNames()));
	}

	private static boolean isStop(Method method, Class<?> type) {
		return method.getName().equals("stop")
				&& (Methods.isOf(method, type, Lifecycle.class) || Methods.isOf(method, type, SmartLifecycle.class));
	}

	private static void refuse(boolean unlocked, Method method, String problem, String action) {
		if (unlocked) {
			throw new InvalidDistributedLockException(method, problem, action);
		}
	}

}
