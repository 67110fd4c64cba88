package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import org.springframework.aop.support.AopUtils;

/**
 * Finds the methods that are run when those of interfaces and superclasses are called.
 */
final class TargetMethods {

	private TargetMethods() {
	}

	/**
	 * Return the method of a class that is run. Those of a JDK proxy are generated, and
	 * know nothing of parameter names: there it is the one of the interface.
	 */
	static Method specific(Method method, Class<?> targetClass) {
		return Proxy.isProxyClass(targetClass) ? method : AopUtils.getMostSpecificMethod(method, targetClass);
	}

}
