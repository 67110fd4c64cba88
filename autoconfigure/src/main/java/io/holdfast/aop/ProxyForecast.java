package io.holdfast.aop;

import java.util.List;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Predicts the proxy that Spring will make for a bean. A bean that cannot have one is
 * refused before Spring tries: its own message would not be about the annotation.
 */
final class ProxyForecast {

	private final InterfaceChoice interfaces = new InterfaceChoice();

	private final ConfigurableListableBeanFactory beanFactory;

	ProxyForecast(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.interfaces.setProxyClassLoader(beanFactory.getBeanClassLoader());
	}

	/**
	 * Return whether the bean that makes proxies has been created. The beans that it
	 * needs are created before it, and get no proxy.
	 */
	boolean isInTime() {
		return !(this.beanFactory instanceof AbstractBeanFactory factory)
				|| factory.getBeanPostProcessors().stream().anyMatch(AbstractAutoProxyCreator.class::isInstance);
	}

	/**
	 * Return the interfaces through which a bean is called.
	 * @return the interfaces; empty when the proxy is a subclass of the bean's class
	 */
	List<Class<?>> interfaces(Class<?> type, String beanName) {
		if (AutoProxyUtils.shouldProxyTargetClass(this.beanFactory, beanName)) {
			return List.of();
		}
		if (isMeantForInterfaces(beanName)) {
			return List.of(ClassUtils.getAllInterfacesForClass(type, this.beanFactory.getBeanClassLoader()));
		}
		return proxiesClasses() ? List.of() : this.interfaces.of(type);
	}

	private boolean isMeantForInterfaces(String beanName) {
		return this.beanFactory.containsBeanDefinition(beanName) && this.beanFactory.getBeanDefinition(beanName)
			.hasAttribute(AutoProxyUtils.EXPOSED_INTERFACES_ATTRIBUTE);
	}

	private boolean proxiesClasses() {
		return this.beanFactory.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME, ProxyConfig.class)
			.isProxyTargetClass();
	}

	/**
	 * Chooses the interfaces of a class for a proxy, as Spring's own proxies do.
	 */
	private static final class InterfaceChoice extends ProxyProcessorSupport {

		private static final long serialVersionUID = 1L;

		/**
		 * Return the interfaces that a proxy would implement; empty when it would be a
		 * subclass.
		 */
		List<Class<?>> of(Class<?> type) {
			ProxyFactory factory = new ProxyFactory();
			evaluateProxyInterfaces(type, factory);
			return factory.isProxyTargetClass() ? List.of() : List.of(factory.getProxiedInterfaces());
		}

	}

}
