package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.DistributedLock;
import org.jspecify.annotations.Nullable;

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
	 * Return whether there is anything to lock in a class. All of its annotations are
	 * read, also those that a proxy would ask for at the first call only.
	 * @throws InvalidDistributedLockException when an annotation cannot work
	 */
	boolean hasLocks(Class<?> targetClass) {
		Boolean known = this.classes.get(targetClass);
		if (known == null) {
			known = LockAnnotations.areIn(targetClass) && readAll(targetClass);
			this.classes.put(targetClass, known);
		}
		return known;
	}

	private boolean readAll(Class<?> targetClass) {
		MethodFilter locked = (method) -> get(method, targetClass) != null;
		return !MethodIntrospector.selectMethods(targetClass, locked).isEmpty();
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
		Method specific = TargetMethods.specific(method, targetClass);
		List<DistributedLock> annotations = LockAnnotations.of(specific, targetClass);
		return annotations.isEmpty() ? null : new LockPlan(
				annotations.stream().map((annotation) -> this.parser.parse(annotation, specific, targetClass)).toList(),
				CallKinds.of(specific, targetClass));
	}

	private record Id(Method method, Class<?> targetClass) {

	}

}
