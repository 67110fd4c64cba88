package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockNotAcquiredException;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the method that is to be called instead of a locked one.
 */
final class FallbackResolver {

	private final Method method;

	private final Class<?> targetClass;

	/**
	 * Create a resolver.
	 * @param method the locked method
	 * @param targetClass the class of the object it is called on
	 */
	FallbackResolver(Method method, Class<?> targetClass) {
		this.method = method;
		this.targetClass = ClassUtils.getUserClass(targetClass);
	}

	/**
	 * Return the method of a name that fits: one that takes the failure before one that
	 * does not, and one of the class before one of its superclasses. (A class cannot have
	 * two that are alike.)
	 * @throws InvalidDistributedLockException when there is none, or its result does not
	 * fit
	 */
	Fallback resolve(String name) {
		List<Method> named = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(this.targetClass))
			.filter((candidate) -> candidate.getName().equals(name) && !candidate.isSynthetic())
			.toList();
		List<Fallback> fitting = Stream.concat(fitting(named, true), fitting(named, false)).toList();
		if (fitting.isEmpty()) {
			throw missing(name, named);
		}
		Fallback chosen = fitting.get(0);
		requireReturnType(chosen.method());
		ReflectionUtils.makeAccessible(chosen.method());
		return chosen;
	}

	private Stream<Fallback> fitting(List<Method> candidates, boolean takesFailure) {
		List<Class<?>> wanted = parameters(this.method);
		if (takesFailure) {
			wanted.add(Methods.parameterCount(this.method), LockNotAcquiredException.class);
		}
		return candidates.stream()
			.filter((candidate) -> !isTheMethodItself(candidate) && parameters(candidate).equals(wanted))
			.map((candidate) -> new Fallback(candidate, takesFailure));
	}

	private boolean isTheMethodItself(Method candidate) {
		return candidate.getName().equals(this.method.getName())
				&& parameters(candidate).equals(parameters(this.method));
	}

	private List<Class<?>> parameters(Method candidate) {
		List<Class<?>> types = new ArrayList<>();
		IntStream.range(0, candidate.getParameterCount())
			.mapToObj((i) -> ResolvableType.forMethodParameter(candidate, i, this.targetClass).toClass())
			.forEach(types::add);
		return types;
	}

	/**
	 * What a fallback of a {@code void} method returns is not looked at.
	 */
	private void requireReturnType(Method fallback) {
		ResolvableType wanted = ResolvableType.forMethodReturnType(this.method, this.targetClass);
		ResolvableType returned = ResolvableType.forMethodReturnType(fallback, this.targetClass);
		boolean fits = wanted.toClass() == void.class || isAssignable(wanted, returned);
		if (!fits) {
			throw refused("names %s, which returns %s where %s is wanted".formatted(Methods.nameOf(fallback), returned,
					wanted), "Have '%s' return %s.".formatted(fallback.getName(), wanted));
		}
	}

	private static boolean isAssignable(ResolvableType wanted, ResolvableType returned) {
		return returned.toClass() != void.class && ClassUtils.isAssignable(wanted.toClass(), returned.toClass())
				&& (!wanted.hasGenerics() || wanted.isAssignableFromResolvedPart(returned));
	}

	private InvalidDistributedLockException missing(String name, List<Method> named) {
		if (named.stream().anyMatch(this::isTheMethodItself)) {
			return refused("names the locked method itself: \"%s\"".formatted(name),
					"Name another method. If the annotation is on the class: it stands for all public methods, so make"
							+ " the fallback one that is not public.");
		}
		String there = named.isEmpty() ? ""
				: "; there is " + String.join(" and ", named.stream().map(Methods::nameOf).toList());
		return refused("names no method that fits: \"%s\"%s".formatted(name, there),
				"Write a %s '%s' in %s, private if you like, with the parameters %s, optionally followed by a LockNotAcquiredException."
					.formatted(KotlinDetector.isSuspendingFunction(this.method) ? "suspend function" : "method", name,
							this.targetClass.getName(), Methods.parametersOf(this.method)));
	}

	private InvalidDistributedLockException refused(String problem, String action) {
		return new InvalidDistributedLockException(this.method, "fallback", problem, action, null);
	}

}
