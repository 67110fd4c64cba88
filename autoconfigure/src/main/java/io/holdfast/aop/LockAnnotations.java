package io.holdfast.aop;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;

import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the annotations that count for a method: its own, or else those of its class.
 */
final class LockAnnotations {

	private LockAnnotations() {
	}

	/**
	 * Return whether a class, its superclasses or its interfaces have any. Most classes
	 * have none: this finds that out much faster than a search of the hierarchy for each
	 * method.
	 */
	static boolean areIn(Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			return false;
		}
		Stream<Method> methods = Stream.concat(Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type)),
				ClassUtils.getAllInterfacesForClassAsSet(type)
					.stream()
					.flatMap((contract) -> Arrays.stream(ReflectionUtils.getAllDeclaredMethods(contract))));
		return Stream
			.concat(Stream.of(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY)),
					methods.map(MergedAnnotations::from))
			.anyMatch((annotations) -> annotations.isPresent(DistributedLock.class));
	}

	/**
	 * Return the annotations of a method, as its class declares it.
	 * @return the annotations, composed and repeated ones resolved; may be empty
	 * @throws InvalidDistributedLockException when 'key' and 'value' contradict each
	 * other
	 */
	static List<DistributedLock> of(Method method, Class<?> targetClass) {
		if (ReflectionUtils.isObjectMethod(method) || isCopy(method)) {
			return List.of();
		}
		try {
			List<DistributedLock> own = nearest(method);
			return (own.isEmpty() && isMeantByType(method)) ? nearest(targetClass) : own;
		}
		catch (AnnotationConfigurationException ex) {
			throw new InvalidDistributedLockException(method, "key", "is set, and 'value' is set to something else",
					"Set only one of them: they mean the same.", ex);
		}
	}

	/**
	 * Return those that are nearest to an element in its hierarchy.
	 */
	static List<DistributedLock> nearest(AnnotatedElement element) {
		List<MergedAnnotation<DistributedLock>> found = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(DistributedLock.class)
			.toList();
		return found.stream()
			.filter((annotation) -> annotation.getAggregateIndex() == found.get(0).getAggregateIndex())
			.map(MergedAnnotation::synthesize)
			.toList();
	}

	/**
	 * Return whether a compiler has made a method for its own ends, as Kotlin's does for
	 * an open suspend function: with the annotations of that.
	 */
	private static boolean isCopy(Method method) {
		return method.isSynthetic() && !method.isBridge();
	}

	private static boolean isMeantByType(Method method) {
		return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
	}

}
