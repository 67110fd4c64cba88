package io.holdfast.aspectj;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

import io.holdfast.aop.InvalidDistributedLockException;
import io.holdfast.DistributedLock;
import io.holdfast.RunOnce;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.util.ReflectionUtils;

record WovenMethod(Method method) {

	private static final String WOVEN_BODY = "_aroundBody";

	void requireLockable() {
		if (Modifier.isStatic(this.method.getModifiers())) {
			throw refused("cannot work: the method is static, and a lock belongs to an object",
					"Make it a method of an object, or use LockTemplate in it.");
		}
		if (KotlinDetector.isSuspendingFunction(this.method)) {
			throw refused("cannot work: a suspend function runs its woven code again each time it resumes",
					"Set 'holdfast.aspect.mode' to 'proxy', or use LockTemplate in it.");
		}
	}

	Object requireTarget(@Nullable Object target) {
		requireLockable();
		if (target == null) {
			throw new IllegalStateException("%s is called without an object".formatted(this.method));
		}
		return target;
	}

	void requireWoven() {
		if (!isSeen()) {
			throw refused("would have no effect: AspectJ does not find it there",
					"Put @DistributedLock, or an annotation that is itself annotated with it, on the method in %s, or on that class if the method is public."
						.formatted(this.method.getDeclaringClass().getName()));
		}
		if (!hasWovenBody()) {
			throw refused("would have no effect: AspectJ has not woven the class",
					"Include it in the weaver ('<include within=...>' in META-INF/aop.xml), and make sure that nothing"
							+ " loads it before the weaver. If AspectJ weaves when it compiles, have it compile this class with"
							+ " Holdfast on its aspect path. Or set 'holdfast.aspect.mode' to 'proxy'.");
		}
	}

	// The rule of the pointcut of DistributedLockAspect
	private boolean isSeen() {
		return isAnnotated(this.method)
				|| (Modifier.isPublic(this.method.getModifiers()) && isAnnotated(this.method.getDeclaringClass()));
	}

	private static boolean isAnnotated(AnnotatedElement element) {
		return hasLock(element) || Arrays.stream(element.getDeclaredAnnotations())
			.map(Annotation::annotationType)
			.anyMatch(WovenMethod::hasLock);
	}

	private static boolean hasLock(AnnotatedElement element) {
		return element.isAnnotationPresent(DistributedLock.class) || element.isAnnotationPresent(RunOnce.class);
	}

	// AspectJ moves the body of a method to another one, whose first parameter is the
	// object
	boolean hasWovenBody() {
		return Arrays.stream(ReflectionUtils.getDeclaredMethods(this.method.getDeclaringClass()))
			.filter((candidate) -> candidate.getName().startsWith(this.method.getName() + WOVEN_BODY))
			.map(Method::getParameterTypes)
			.anyMatch(this::isForThis);
	}

	private boolean isForThis(Class<?>[] types) {
		Class<?>[] own = this.method.getParameterTypes();
		return types.length > own.length + 1 && types[0] == this.method.getDeclaringClass()
				&& Arrays.equals(types, 1, own.length + 1, own, 0, own.length);
	}

	private InvalidDistributedLockException refused(String problem, String action) {
		return new InvalidDistributedLockException(this.method, problem, action);
	}

}
