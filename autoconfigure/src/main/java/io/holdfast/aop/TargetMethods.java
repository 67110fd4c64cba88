package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.ResolvableType;

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

	/**
	 * Return what a method returns when it is called on an object of a class, which may
	 * say what the type variable is that the method declares.
	 */
	static Class<?> returnType(Method method, Class<?> targetClass) {
		Class<?> declared = method.getReturnType();
		return ResolvableType.forMethodReturnType(method, targetClass).resolve(declared);
	}

}
