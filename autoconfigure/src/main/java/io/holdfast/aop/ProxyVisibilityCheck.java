package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.DecoratingProxy;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Refuses beans with annotated methods that their proxy cannot see, and that would
 * therefore run without the lock. Looks at each bean just before it gets its proxy, and
 * afterwards for beans that got none.
 *
 * @since 0.1.0
 */
public final class ProxyVisibilityCheck implements SmartInstantiationAwareBeanPostProcessor, PriorityOrdered,
		SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent> {

	/**
	 * What post-processors look for that call the bean as they got it.
	 */
	private static final List<String> CALLS = List.of("org.springframework.scheduling.annotation.Scheduled",
			"org.springframework.messaging.handler.annotation.MessageMapping");

	private static final Set<Class<?>> OF_SPRING = Set.of(SpringProxy.class, Advised.class, DecoratingProxy.class);

	private final ConcurrentHashMap<Class<?>, Set<Method>> lockedMethods = new ConcurrentHashMap<>();

	private final ConfigurableListableBeanFactory beanFactory;

	/**
	 * Create a check.
	 * @param beanFactory where the beans are
	 */
	public ProxyVisibilityCheck(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Before the post-processors that make proxies, which have no priority.
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
	 * @throws InvalidDistributedLockException when an annotation on it would have no
	 * effect
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (Proxy.isProxyClass(bean.getClass())) {
			checkBehind(bean, bean.getClass());
		}
		else if (!isSeenWhole(bean)) {
			Class<?> type = ClassUtils.getUserClass(bean);
			Set<Method> methods = lockedMethods(type);
			if (!methods.isEmpty()) {
				check(methods, type, beanName);
			}
		}
		return bean;
	}

	/**
	 * Check a bean in a circular reference: others get its proxy early, and its
	 * post-processors the object itself.
	 * @param bean the bean
	 * @param beanName its name
	 * @return the bean as it is
	 * @throws InvalidDistributedLockException when an annotation on it would have no
	 * effect
	 */
	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		Class<?> type = ClassUtils.getUserClass(bean);
		lockedMethods(type)
			.forEach((method) -> new ProxiedMethod(method, type).requireNotCalledByPostProcessors(beanName));
		return bean;
	}

	/**
	 * Check the beans that were created before this one, and aspects, which get no proxy.
	 * @throws InvalidDistributedLockException when an annotation on one has no effect
	 */
	@Override
	public void afterSingletonsInstantiated() {
		requireProxies(this.beanFactory, "Let no BeanPostProcessor or BeanFactoryPostProcessor depend on the bean,"
				+ " or let it get the bean later (ObjectProvider). If the bean is an aspect, move the method to another one.");
	}

	/**
	 * Check the beans of a child context, which this one does not process.
	 * @param event says which context has been started
	 * @throws InvalidDistributedLockException when an annotation on one has no effect
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() instanceof ConfigurableApplicationContext context
				&& context.getBeanFactory() != this.beanFactory) {
			requireProxies(context.getBeanFactory(),
					"Import HoldfastAutoConfiguration in the child context, too, or move the bean to its parent.");
		}
	}

	private void requireProxies(ConfigurableListableBeanFactory beans, String action) {
		for (String name : beans.getSingletonNames()) {
			Object bean = isCreatedBy(beans, name) ? beans.getSingleton(name) : null;
			if (bean != null && !AopUtils.isAopProxy(bean)) {
				Class<?> type = ClassUtils.getUserClass(bean);
				lockedMethods(type)
					.forEach((method) -> new ProxiedMethod(method, type).refuseWithoutProxy(name, action));
			}
		}
	}

	/**
	 * Tests put objects of their own in the place of beans: these need no lock.
	 */
	private static boolean isCreatedBy(ConfigurableListableBeanFactory beans, String name) {
		return beans.containsBeanDefinition(name)
				&& !(beans.getBeanDefinition(name) instanceof RootBeanDefinition definition
						&& definition.getQualifiedElement() != null);
	}

	/**
	 * Lambdas have no other methods than those of interfaces. The beans with which Spring
	 * makes proxies get none.
	 */
	private static boolean isSeenWhole(Object bean) {
		return bean instanceof AopInfrastructureBean || ClassUtils.isLambdaClass(bean.getClass());
	}

	/**
	 * Check what is behind a proxy for interfaces, unless that is locked itself. The
	 * annotations of these interfaces count.
	 */
	private void checkBehind(Object object, Class<?> proxy) {
		Object target = AopProxyUtils.getSingletonTarget(object);
		boolean locked = object instanceof Advised advised
				&& Arrays.stream(advised.getAdvisors()).anyMatch(DistributedLockAdvisor.class::isInstance);
		if (target != null && !locked) {
			checkBehind(target, proxy);
		}
		else if (!locked && object.getClass() != proxy) {
			Class<?> type = ClassUtils.getUserClass(object);
			lockedMethods(type).forEach((method) -> new ProxiedMethod(method, type).requireSeenThrough(proxy));
		}
	}

	private Set<Method> lockedMethods(Class<?> type) {
		return this.lockedMethods.computeIfAbsent(type, LockAnnotations::methodsIn);
	}

	private void check(Set<Method> methods, Class<?> type, String beanName) {
		methods.forEach((method) -> new ProxiedMethod(method, type).requireSeenAtAll());
		List<Class<?>> interfaces = interfaces(type, beanName, methods.iterator().next());
		for (Method method : methods) {
			ProxiedMethod proxied = new ProxiedMethod(method, type);
			if (interfaces.isEmpty()) {
				proxied.requireSeenBySubclass();
			}
			else {
				proxied.requireSeenThrough(interfaces);
			}
		}
	}

	/**
	 * Ask Spring for the proxy that it will create, before it tries: its own message
	 * would not be about the annotation.
	 * @return the interfaces through which the bean is called; empty when the proxy is a
	 * subclass
	 */
	private List<Class<?>> interfaces(Class<?> type, String beanName, Method method) {
		ProxiedMethod proxied = new ProxiedMethod(method, type);
		try {
			Class<?> proxy = proxyCreator().orElseThrow(() -> proxied.early(beanName))
				.determineBeanType(type, beanName);
			return Proxy.isProxyClass(proxy)
					? Stream.of(proxy.getInterfaces()).filter((contract) -> !OF_SPRING.contains(contract)).toList()
					: List.of();
		}
		catch (AopConfigException ex) {
			proxied.requireExtensible();
			throw ex;
		}
	}

	/**
	 * Return the bean that makes proxies, unless it has not been created yet. The beans
	 * that it needs are created before it, and get no proxy.
	 */
	private Optional<AbstractAutoProxyCreator> proxyCreator() {
		Stream<BeanPostProcessor> all = (this.beanFactory instanceof AbstractBeanFactory factory)
				? factory.getBeanPostProcessors().stream() : Stream.of();
		return all.filter(AbstractAutoProxyCreator.class::isInstance)
			.map(AbstractAutoProxyCreator.class::cast)
			.findFirst();
	}

	/**
	 * An annotated method, and whether a proxy can come between it and its callers.
	 *
	 * @param method the method, as its class declares it
	 * @param type the class of the bean
	 */
	private record ProxiedMethod(Method method, Class<?> type) {

		void requireSeenAtAll() {
			if (Modifier.isPrivate(this.method.getModifiers())) {
				throw hidden("is private", "Make the method at least package-private, or lock in its callers.");
			}
			if (Modifier.isStatic(this.method.getModifiers())) {
				throw hidden("is static", "Make it a method of the bean, or use LockTemplate in it.");
			}
		}

		void requireExtensible() {
			if (Modifier.isFinal(this.type.getModifiers()) || this.type.isSealed()) {
				throw hidden("is in a class that cannot be extended, " + this.type.getName(), (this.type.isRecord()
						? "Make the record a class."
						: "Make the class neither final nor sealed (in Kotlin: open, by hand or by the kotlin-spring plugin)."));
			}
		}

		void requireSeenBySubclass() {
			if (Modifier.isFinal(this.method.getModifiers()) && isMeant()) {
				throw hidden("is final",
						"Make the method not final (in Kotlin: open, by hand or by the kotlin-spring plugin), or lock in its callers. If the annotation is on the"
								+ " class, put it on the methods that need it instead.");
			}
			if (isOutOfReach()) {
				throw hidden("is package-private in a superclass from another package",
						"Make the method protected or public.");
			}
		}

		void requireSeenThrough(List<Class<?>> interfaces) {
			boolean seen = interfaces.stream()
				.flatMap((type) -> Arrays.stream(type.getMethods()))
				.anyMatch((candidate) -> AopUtils.getMostSpecificMethod(candidate, this.type).equals(this.method));
			if (!seen && isAnnotatedItself()) {
				throw hidden("is in none of the interfaces through which the bean is called, " + names(interfaces),
						"Declare the method in one of them, or have classes proxied: 'spring.aop.proxy-target-class=true'.");
			}
		}

		/**
		 * Require that the annotation is also found by a proxy that others have made.
		 */
		void requireSeenThrough(Class<?> proxy) {
			List<Method> called = Methods.of(proxy)
				.filter((candidate) -> Methods.specific(candidate, this.type).equals(this.method))
				.toList();
			boolean seen = called.stream().anyMatch((candidate) -> LockAnnotations.of(candidate, proxy) != null);
			if (!seen && (!called.isEmpty() || isAnnotatedItself())) {
				throw hidden("is behind a proxy that was made for " + Methods.userClass(proxy).getName(),
						"Put the annotation on that interface.");
			}
		}

		InvalidDistributedLockException early(String beanName) {
			return hidden(
					"belongs to the bean '%s', which is created before the beans that create proxies"
						.formatted(beanName),
					"Make sure that no BeanPostProcessor depends on the bean, or let it get the bean later (ObjectProvider).");
		}

		void requireNotCalledByPostProcessors(String beanName) {
			MergedAnnotations annotations = MergedAnnotations.from(this.method, SearchStrategy.TYPE_HIERARCHY);
			if (CALLS.stream().anyMatch(annotations::isPresent)) {
				throw hidden("is called on the object itself, as the bean '%s' is part of a circular reference"
					.formatted(beanName), "Let one of the beans get the other one later (ObjectProvider, or @Lazy).");
			}
		}

		void refuseWithoutProxy(String beanName, String action) {
			throw hidden("belongs to the bean '%s', which has no proxy".formatted(beanName), action);
		}

		/**
		 * An annotation on a class is not meant for final methods of superclasses that
		 * know nothing of it, as those of a framework.
		 */
		private boolean isMeant() {
			return isAnnotatedItself() || LockAnnotations.of(this.method, this.method.getDeclaringClass()) != null;
		}

		private boolean isAnnotatedItself() {
			LockAnnotations found = LockAnnotations.of(this.method, this.type);
			return found != null && found.areOnMethod();
		}

		private boolean isOutOfReach() {
			int visible = Modifier.PUBLIC | Modifier.PROTECTED;
			Class<?> declaring = this.method.getDeclaringClass();
			return (this.method.getModifiers() & visible) == 0
					&& (declaring.getClassLoader() != this.type.getClassLoader()
							|| !ClassUtils.getPackageName(declaring).equals(ClassUtils.getPackageName(this.type)));
		}

		private static String names(List<Class<?>> interfaces) {
			return String.join(", ", interfaces.stream().map(Class::getName).toList());
		}

		private InvalidDistributedLockException hidden(String why, String action) {
			return new InvalidDistributedLockException(this.method,
					"would have no effect: the method %s".formatted(why) + ", and no proxy can intercept it", action);
		}

	}

}
