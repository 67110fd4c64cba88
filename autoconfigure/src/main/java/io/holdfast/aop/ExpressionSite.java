package io.holdfast.aop;

import java.lang.reflect.Method;

/**
 * Where an expression stands.
 *
 * @param method the method that its annotation is about
 * @param attribute the attribute it is the value of
 * @param text the whole expression
 */
record ExpressionSite(Method method, String attribute, String text) {

	/**
	 * Return what to throw when the expression names something that is not there.
	 */
	InvalidDistributedLockException refused(String name, String problem, String action) {
		return new InvalidDistributedLockException(this.method, this.attribute,
				"refers to \"%s\", %s: \"%s\"".formatted(name, problem, this.text), action, null);
	}

}
