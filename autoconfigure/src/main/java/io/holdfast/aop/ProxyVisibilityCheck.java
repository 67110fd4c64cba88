package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Refuses beans with annotated methods that their proxy cannot see, and that would
 * therefore run without the lock. Looks at each bean just before it gets its proxy. What
 * tests put in the place of a bean is not created by Spring, and needs none.
 *
 * @since 0.1.0
 */
public final class ProxyVisibilityCheck
		implements BeanDefinitionRegistryPostProcessor, ApplicationListener<ContextRefreshedEvent> {

	private static final List<String> CALLED_BY_POST_PROCESSORS = List.of(
			"org.springframework.scheduling.annotation.Scheduled",
			"org.springframework.messaging.handler.annotation.MessageMapping");

	private static final List<Class<?>> WITHOUT_PROXY = List.of(AopInfrastructureBean.class, Advice.class,
			Advisor.class, Pointcut.class);

	private static final int FIXED = Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL;

	private static final String LATER = "Let no BeanPostProcessor, BeanFactoryPostProcessor or DistributedLockAdvisor of yours depend on the bean,"
			+ " as a @Bean method that is not static does, or let it get the bean later (ObjectProvider)."
			+ " If the bean is an aspect, move the method to another one.";

	private final ConfigurableListableBeanFactory beanFactory;

	/**
	 * Create a check.
	 * @param beanFactory where the beans are
	 */
	public ProxyVisibilityCheck(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	// Before there are others, as these may need beans, which then get no proxy
	@Override
	public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
		for (String name : this.beanFactory.getSingletonNames()) {
			Object bean = this.beanFactory.getSingleton(name);
			if (bean != null && this.beanFactory.containsBeanDefinition(name)) {
				look(bean, name);
			}
		}
		this.beanFactory.addBeanPostProcessor(new SmartInstantiationAwareBeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				look(bean, beanName);
				return bean;
			}

			@Override
			public Object getEarlyBeanReference(Object bean, String beanName) {
				lookEarly(bean, beanName);
				return bean;
			}

		});
	}

	// Lambdas have no other methods than those of interfaces
	private void look(Object bean, String beanName) {
		if (Proxy.isProxyClass(bean.getClass())) {
			checkBehind(bean, bean.getClass());
		}
		else if (!ClassUtils.isLambdaClass(bean.getClass())) {
			check(ClassUtils.getUserClass(bean), beanName);
		}
	}

	// In a circular reference, other beans get the proxy early, and post-processors the
	// object itself
	private static void lookEarly(Object bean, String beanName) {
		for (AnnotatedMethod found : AnnotatedMethod.in(ClassUtils.getUserClass(bean))) {
			refuse(CALLED_BY_POST_PROCESSORS.stream().anyMatch((call) -> Methods.isAnnotated(found.method(), call)),
					found, "is called on the object itself, as the bean '%s' is part of a circular reference".formatted(
							beanName),
					"Let one of the beans get the other one later (ObjectProvider, or @Lazy).");
		}
	}

	// For beans of a child context, which this one does not process. What tests put in
	// the place of beans is there before the multicaster
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() instanceof ConfigurableApplicationContext context
				&& context.getBeanFactory() != this.beanFactory) {
			ConfigurableListableBeanFactory beans = context.getBeanFactory();
			Stream.of(beans.getSingletonNames())
				.dropWhile((name) -> !name.equals(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME))
				.filter(beans::containsBeanDefinition)
				.forEach((name) -> requireProxy(beans.getSingleton(name), name,
						"Import HoldfastAutoConfiguration in the child context, too, or move the bean to its parent."));
		}
	}

	private static void requireProxy(@Nullable Object bean, String name, String action) {
		if (bean != null && !AopUtils.isAopProxy(bean)) {
			annotations(ClassUtils.getUserClass(bean)).forEach((found) -> {
				throw refusedWithoutProxy(found, name, action);
			});
		}
	}

	// Methods of a library's early bean may name types of another one that is not there
	private static List<AnnotatedMethod> annotations(Class<?> type) {
		try {
			return AnnotatedMethod.in(type);
		}
		catch (IllegalStateException ex) {
			if (ex.getCause() instanceof NoClassDefFoundError) {
				return List.of();
			}
			throw ex;
		}
	}

	// Check what is behind a proxy for interfaces that others have made, unless that is
	// locked itself. The annotations of these interfaces count
	private static void checkBehind(Object object, Class<?> proxy) {
		Object target = AopProxyUtils.getSingletonTarget(object);
		boolean locked = object instanceof Advised advised
				&& Arrays.stream(advised.getAdvisors()).anyMatch(DistributedLockAdvisor.class::isInstance);
		if (target != null && !locked) {
			checkBehind(target, proxy);
		}
		else if (!locked && object.getClass() != proxy) {
			AnnotatedMethod.in(ClassUtils.getUserClass(object)).forEach((found) -> requireSeenBy(proxy, found));
		}
	}

	private static void requireSeenBy(Class<?> proxy, AnnotatedMethod found) {
		List<Method> called = Methods.of(proxy)
			.filter((candidate) -> Methods.specific(candidate, found.type()).equals(found.method()))
			.toList();
		boolean seen = called.stream().anyMatch((candidate) -> AnnotatedMethod.of(candidate, proxy) != null);
		refuse(!seen && (!called.isEmpty() || found.isOnMethod()), found,
				"is behind a proxy that was made for " + Methods.userClass(proxy).getName(),
				"Put the annotation on that interface.");
	}

	private void check(Class<?> type, String beanName) {
		List<AnnotatedMethod> all = annotations(type);
		Class<?> proxy = all.isEmpty() ? type : proxyClass(all.get(0), beanName);
		for (AnnotatedMethod found : all) {
			if (Proxy.isProxyClass(proxy)) {
				requireDeclaredIn(proxy.getInterfaces(), found);
			}
			else {
				requireOverridable(found);
				if (proxy == found.type() && (found.method().getModifiers() & FIXED) == 0) {
					throw refusedWithoutProxy(found, beanName, LATER);
				}
			}
		}
	}

	// Ask Spring for the proxy that it will create, before it tries: its own message
	// would not be about the annotation. Beans that the creator of proxies or the advisor
	// needs are created before it, and get none: the class itself is returned
	private Class<?> proxyClass(AnnotatedMethod found, String beanName) {
		try {
			return ((AbstractBeanFactory) this.beanFactory).getBeanPostProcessors()
				.stream()
				.filter((candidate) -> candidate instanceof AbstractAutoProxyCreator && !isWithoutProxy(found.type()))
				.<Class<?>>map(
						(creator) -> ((AbstractAutoProxyCreator) creator).determineBeanType(found.type(), beanName))
				.filter((proxy) -> proxy != found.type())
				.findFirst()
				.orElse(found.type());
		}
		catch (AopConfigException ex) {
			throw refused(found, "is in a class that cannot be extended (%s)".formatted(ex.getMessage()),
					"Make the class neither final nor sealed nor a record (in Kotlin: open, by hand or by the kotlin-spring plugin).");
		}
	}

	private static boolean isWithoutProxy(Class<?> type) {
		return WITHOUT_PROXY.stream().anyMatch((infrastructure) -> infrastructure.isAssignableFrom(type))
				|| MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY)
					.isPresent("org.aspectj.lang.annotation.Aspect");
	}

	private static void requireDeclaredIn(Class<?>[] interfaces, AnnotatedMethod found) {
		boolean declared = Arrays.stream(interfaces)
			.flatMap((contract) -> Arrays.stream(contract.getMethods()))
			.anyMatch((candidate) -> AopUtils.getMostSpecificMethod(candidate, found.type()).equals(found.method()));
		refuse(!declared && found.isOnMethod(), found, "is in none of the interfaces through which the bean is called",
				"Declare the method in one of them, or have classes proxied: 'spring.aop.proxy-target-class=true'.");
	}

	private static void requireOverridable(AnnotatedMethod found) {
		String hiding = Modifier.toString(found.method().getModifiers() & FIXED);
		refuse(!hiding.isEmpty() && isMeant(found), found, "is " + hiding,
				"Make the method neither private nor static nor final (in Kotlin: open, by hand or by the kotlin-spring plugin),"
						+ " or lock in its callers. If the annotation is on the class, put it on the methods that need it instead.");
		refuse(isOutOfReach(found.method(), found.type()), found,
				"is package-private in a superclass from another package", "Make the method protected or public.");
	}

	// An annotation on a class is not meant for final methods of superclasses that know
	// nothing of it, as those of a framework
	private static boolean isMeant(AnnotatedMethod found) {
		return found.isOnMethod() || AnnotatedMethod.of(found.method(), found.method().getDeclaringClass()) != null;
	}

	private static boolean isOutOfReach(Method method, Class<?> type) {
		Class<?> declaring = method.getDeclaringClass();
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0
				&& (declaring.getClassLoader() != type.getClassLoader()
						|| !declaring.getPackageName().equals(type.getPackageName()));
	}

	private static void refuse(boolean hidden, AnnotatedMethod found, String why, String action) {
		if (hidden) {
			throw refused(found, why, action);
		}
	}

	private static InvalidDistributedLockException refusedWithoutProxy(AnnotatedMethod found, String beanName,
			String action) {
		return refused(found, "belongs to the bean '%s', which has no proxy".formatted(beanName), action);
	}

	private static InvalidDistributedLockException refused(AnnotatedMethod found, String why, String action) {
		return new InvalidDistributedLockException(found.method(),
				"would have no effect: the method %s, and no proxy can intercept it".formatted(why), action);
	}

}
