package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.holdfast.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ReflectionUtils.MethodFilter;

/**
 * Knows what the annotations of methods ask for. Reads each once.
 */
final class LockOperationSource {

	private final ConcurrentHashMap<Id, Optional<LockPlan>> plans = new ConcurrentHashMap<>();

	private final ConcurrentHashMap<Class<?>, Boolean> classes = new ConcurrentHashMap<>();

	private final LockOperationParser parser;

	LockOperationSource(LockOperationParser parser) {
		this.parser = parser;
	}

	/**
	 * Return what reads annotations for an application.
	 * @param beanFactory resolves placeholders in durations
	 * @param defaults what annotations leave open; asked for when it is needed
	 */
	static LockOperationSource of(ConfigurableBeanFactory beanFactory, Supplier<LockDefaults> defaults) {
		return new LockOperationSource(new LockOperationParser(new EmbeddedValueResolver(beanFactory), defaults));
	}

	/**
	 * Return whether there is anything to lock in a class. All of its annotations are
	 * read, also those that a proxy would ask for at the first call only.
	 * @throws InvalidDistributedLockException when an annotation cannot work
	 */
	boolean hasLocks(Class<?> targetClass) {
		Boolean known = this.classes.get(targetClass);
		if (known == null) {
			known = !lockedMethods(targetClass).isEmpty();
			this.classes.put(targetClass, known);
		}
		return known;
	}

	/**
	 * Return the methods of a class, own and inherited, that are to be locked.
	 * @throws InvalidDistributedLockException when an annotation cannot work
	 */
	Set<Method> lockedMethods(Class<?> targetClass) {
		MethodFilter locked = (method) -> get(method, targetClass) != null;
		return LockAnnotations.areIn(targetClass) ? MethodIntrospector.selectMethods(targetClass, locked) : Set.of();
	}

	/**
	 * Return what to do for calls of a method.
	 * @return the plan, or {@code null} when the method is not to be locked
	 * @throws InvalidDistributedLockException when an annotation cannot work
	 */
	@Nullable LockPlan get(Method method, Class<?> targetClass) {
		Id id = new Id(method, targetClass);
		Optional<LockPlan> known = this.plans.get(id);
		if (known == null) {
			known = Optional.ofNullable(find(method, targetClass));
			this.plans.put(id, known);
		}
		return known.orElse(null);
	}

	private @Nullable LockPlan find(Method method, Class<?> targetClass) {
		Method specific = Methods.specific(method, targetClass);
		List<DistributedLock> annotations = LockAnnotations.of(specific, targetClass);
		return annotations.isEmpty() ? null : plan(annotations, specific, targetClass);
	}

	/**
	 * What the kind needs is looked for first: parameter names may come from there, too.
	 */
	private LockPlan plan(List<DistributedLock> annotations, Method method, Class<?> targetClass) {
		CallKind kind = CallKinds.of(method, targetClass);
		return new LockPlan(
				annotations.stream().map((annotation) -> this.parser.parse(annotation, method, targetClass)).toList(),
				kind);
	}

	private record Id(Method method, Class<?> targetClass) {

	}

}
