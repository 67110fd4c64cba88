package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;

import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/**
 * An annotated method, and whether a proxy can come between it and its callers.
 *
 * @param method the method, as its class declares it
 * @param type the class of the bean
 */
record ProxiedMethod(Method method, Class<?> type) {

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
					"belongs to the bean '%s', which is created before those that make proxies".formatted(beanName),
					"See that no BeanPostProcessor depends on the bean, or let it ask for the bean later (ObjectProvider).");
		}
	}

	/**
	 * An annotation on a class is not meant for final methods of superclasses that know
	 * nothing of it, as those of a framework.
	 */
	private boolean isMeant() {
		return !LockAnnotations.nearest(this.method).isEmpty()
				|| !LockAnnotations.nearest(this.method.getDeclaringClass()).isEmpty();
	}

	private boolean isOutOfReach() {
		int visible = Modifier.PUBLIC | Modifier.PROTECTED;
		Class<?> declaring = this.method.getDeclaringClass();
		return (this.method.getModifiers() & visible) == 0 && (declaring.getClassLoader() != this.type.getClassLoader()
				|| !ClassUtils.getPackageName(declaring).equals(ClassUtils.getPackageName(this.type)));
	}

	private static String names(List<Class<?>> interfaces) {
		return String.join(", ", interfaces.stream().map(Class::getName).toList());
	}

	private InvalidDistributedLockException hidden(String why, String action) {
		return new InvalidDistributedLockException(this.method,
				"would have no effect: the method %s".formatted(why) + ", where no proxy can see it", action);
	}

}
