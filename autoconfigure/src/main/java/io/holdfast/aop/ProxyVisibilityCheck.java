package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/**
 * Refuses beans with annotated methods that their proxy cannot see, and that would
 * therefore run without the lock. Looks at each bean just before it gets its proxy.
 *
 * @since 0.1.0
 */
public final class ProxyVisibilityCheck implements BeanPostProcessor, PriorityOrdered {

	private final ConcurrentHashMap<Class<?>, Set<Method>> lockedMethods = new ConcurrentHashMap<>();

	private final ProxyForecast forecast;

	/**
	 * Create a check.
	 * @param beanFactory where the beans are
	 */
	public ProxyVisibilityCheck(ConfigurableListableBeanFactory beanFactory) {
		this.forecast = new ProxyForecast(beanFactory);
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
		if (!isSeenWhole(bean)) {
			Class<?> type = ClassUtils.getUserClass(bean);
			Set<Method> methods = this.lockedMethods.computeIfAbsent(type, ProxyVisibilityCheck::findLockedMethods);
			if (!methods.isEmpty()) {
				check(methods, type, beanName);
			}
		}
		return bean;
	}

	/**
	 * JDK proxies and lambdas have no other methods than those of interfaces. The beans
	 * with which Spring makes proxies get none.
	 */
	private static boolean isSeenWhole(Object bean) {
		return bean instanceof AopInfrastructureBean || Proxy.isProxyClass(bean.getClass())
				|| ClassUtils.isLambdaClass(bean.getClass());
	}

	private static Set<Method> findLockedMethods(Class<?> type) {
		MethodFilter locked = (method) -> !LockAnnotations.of(method, type).isEmpty();
		return LockAnnotations.areIn(type) ? MethodIntrospector.selectMethods(type, locked) : Set.of();
	}

	private void check(Set<Method> methods, Class<?> type, String beanName) {
		List<Class<?>> interfaces = this.forecast.interfaces(type, beanName);
		for (Method method : methods) {
			ProxiedMethod proxied = new ProxiedMethod(method, type);
			proxied.requireSeenAtAll();
			if (interfaces.isEmpty()) {
				proxied.requireSeenBySubclass();
			}
			else {
				proxied.requireSeenThrough(interfaces);
			}
			proxied.requireProxy(this.forecast.isInTime(), beanName);
		}
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

		void requireSeenBySubclass() {
			if (Modifier.isFinal(this.type.getModifiers()) || this.type.isSealed()) {
				throw hidden("is in a class that cannot be extended, " + this.type.getName(), (this.type.isRecord()
						? "Make the record a class."
						: "Make the class neither final nor sealed (in Kotlin: open, by hand or by the kotlin-spring plugin)."));
			}
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
			if (!seen && !LockAnnotations.nearest(this.method).isEmpty()) {
				throw hidden("is in none of the interfaces through which the bean is called, " + names(interfaces),
						"Declare the method in one of them, or have classes proxied: 'spring.aop.proxy-target-class=true'.");
			}
		}

		void requireProxy(boolean inTime, String beanName) {
			if (!inTime) {
				throw hidden(
						"belongs to the bean '%s', which is created before the beans that create proxies"
							.formatted(beanName),
						"Make sure that no BeanPostProcessor depends on the bean, or let it get the bean later (ObjectProvider).");
			}
		}

		/**
		 * An annotation on a class is not meant for final methods of superclasses that
		 * know nothing of it, as those of a framework.
		 */
		private boolean isMeant() {
			return !LockAnnotations.nearest(this.method).isEmpty()
					|| !LockAnnotations.nearest(this.method.getDeclaringClass()).isEmpty();
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
