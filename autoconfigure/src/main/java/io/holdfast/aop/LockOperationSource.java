package io.holdfast.aop;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;

/**
 * Finds what the annotations of a method, or of its class, ask for. Reads each once.
 */
final class LockOperationSource {

	private final ConcurrentHashMap<Id, Optional<LockPlan>> plans = new ConcurrentHashMap<>();

	private final LockOperationParser parser;

	LockOperationSource(LockOperationParser parser) {
		this.parser = parser;
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
		if (ReflectionUtils.isObjectMethod(method)) {
			return null;
		}
		Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
		List<DistributedLock> annotations = nearest(specific);
		if (annotations.isEmpty() && Modifier.isPublic(specific.getModifiers())) {
			annotations = nearest(targetClass);
		}
		return annotations.isEmpty() ? null : new LockPlan(
				annotations.stream().map((annotation) -> this.parser.parse(annotation, specific)).toList());
	}

	private static List<DistributedLock> nearest(AnnotatedElement element) {
		List<MergedAnnotation<DistributedLock>> found = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(DistributedLock.class)
			.toList();
		return found.stream()
			.filter((annotation) -> annotation.getAggregateIndex() == found.get(0).getAggregateIndex())
			.map(MergedAnnotation::synthesize)
			.toList();
	}

	private record Id(Method method, Class<?> targetClass) {

	}

}
