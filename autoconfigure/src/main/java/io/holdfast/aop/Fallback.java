package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.LockException;
import io.holdfast.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

record Fallback(Method method, boolean takesFailure) implements FailureReaction {

	// A fallback that takes a LockNotAcquiredException comes before one that takes any
	// LockException, that before one that takes neither, and one of the class before one
	// of its superclasses
	static Fallback find(String name, Method method, Class<?> targetClass) {
		return new Search(method, ClassUtils.getUserClass(targetClass)).find(name);
	}

	static @Nullable Fallback ofAnyFailure(String name, Method method, Class<?> targetClass) {
		return new Search(method, ClassUtils.getUserClass(targetClass)).findOfAnyFailure(name);
	}

	@Override
	public @Nullable Object react(LockCall call, LockException failure) throws Throwable {
		return AopUtils.invokeJoinpointUsingReflection(innermost(call.target()), this.method, arguments(call, failure));
	}

	// The failure comes before the continuation of a suspend function
	private @Nullable Object[] arguments(LockCall call, LockException failure) {
		if (!this.takesFailure) {
			return call.args();
		}
		List<@Nullable Object> all = new ArrayList<>(Arrays.asList(call.args()));
		all.add(Methods.parameterCount(call.method()), failure);
		return all.toArray();
	}

	// On a proxy made by subclassing, a private method would see empty fields. What is
	// behind a proxy for interfaces need not implement these
	private Object innermost(Object target) {
		boolean ofProxy = Proxy.isProxyClass(target.getClass()) && this.method.getDeclaringClass().isInterface();
		Object inner = ofProxy ? null : AopProxyUtils.getSingletonTarget(target);
		return (inner != null) ? innermost(inner) : target;
	}

	private record Search(Method method, Class<?> targetClass) {

		private Fallback find(String name) {
			List<Method> named = named(name);
			return Stream.of(LockNotAcquiredException.class, LockException.class, null)
				.flatMap((failure) -> fitting(named, failure))
				.findFirst()
				.map(this::usable)
				.orElseThrow(() -> missing(name, named));
		}

		private @Nullable Fallback findOfAnyFailure(String name) {
			return fitting(named(name), LockException.class).findFirst().map(this::usable).orElse(null);
		}

		private List<Method> named(String name) {
			Stream<Method> methods = Proxy.isProxyClass(this.targetClass) ? Methods.of(this.targetClass)
					: Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(this.targetClass));
			return methods.filter((candidate) -> candidate.getName().equals(name) && !candidate.isSynthetic()).toList();
		}

		private Fallback usable(Fallback chosen) {
			requireReturnType(chosen.method());
			ReflectionUtils.makeAccessible(chosen.method());
			return chosen;
		}

		private Stream<Fallback> fitting(List<Method> candidates, @Nullable Class<?> failure) {
			List<Class<?>> wanted = parameters(this.method);
			if (failure != null) {
				wanted.add(Methods.parameterCount(this.method), failure);
			}
			return candidates.stream()
				.filter((candidate) -> !isTheMethodItself(candidate) && parameters(candidate).equals(wanted))
				.map((candidate) -> new Fallback(candidate, failure != null));
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

		private void requireReturnType(Method fallback) {
			ResolvableType wanted = ResolvableType.forMethodReturnType(this.method, this.targetClass);
			ResolvableType returned = ResolvableType.forMethodReturnType(fallback, this.targetClass);
			boolean fits = wanted.toClass() == void.class || isAssignable(wanted, returned);
			if (!fits) {
				throw refused("names %s, which returns %s where %s is required".formatted(Methods.nameOf(fallback),
						returned, wanted), "Have '%s' return %s.".formatted(fallback.getName(), wanted));
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
					"Write a %s '%s' in %s, private if you like, with the parameters %s, optionally followed by a LockNotAcquiredException, or by a LockException to be called also when Redis or the database does not answer."
						.formatted(KotlinDetector.isSuspendingFunction(this.method) ? "suspend function" : "method",
								name, Methods.userClass(this.targetClass).getName(),
								Methods.parametersOf(this.method)));
		}

		private InvalidDistributedLockException refused(String problem, String action) {
			return new InvalidDistributedLockException(this.method, "fallback", problem, action, null);
		}

	}

}
