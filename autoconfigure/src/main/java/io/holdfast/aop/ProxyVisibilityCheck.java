package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/**
 * Refuses beans with annotated methods that their proxy cannot see, and would therefore
 * run without the lock. Looks at each bean just before it gets its proxy.
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

}
