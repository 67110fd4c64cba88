package io.holdfast.aop;

import java.util.List;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;

/**
 * Chooses the interfaces of a class for a proxy, as Spring's own proxies do.
 */
final class ProxyInterfaces extends ProxyProcessorSupport {

	private static final long serialVersionUID = 1L;

	/**
	 * Return the interfaces that make a proxy worthwhile; empty for none.
	 */
	List<Class<?>> of(Class<?> type) {
		ProxyFactory factory = new ProxyFactory();
		evaluateProxyInterfaces(type, factory);
		return factory.isProxyTargetClass() ? List.of() : List.of(factory.getProxiedInterfaces());
	}

}
