package io.holdfast.aop;

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
 * Finds what the annotation of a method, or of its class, asks for. Reads each once.
 */
final class LockOperationSource {

	private final ConcurrentHashMap<Id, Optional<LockOperation>> operations = new ConcurrentHashMap<>();

	private final LockOperationParser parser;

	LockOperationSource(LockOperationParser parser) {
		this.parser = parser;
	}

	/**
	 * Return what to do for calls of a method.
	 * @return the operation, or {@code null} when the method is not to be locked
	 * @throws InvalidDistributedLockException when the annotation cannot work
	 */
	@Nullable LockOperation get(Method method, Class<?> targetClass) {
		Id id = new Id(method, targetClass);
		Optional<LockOperation> known = this.operations.get(id);
		if (known == null) {
			known = Optional.ofNullable(find(method, targetClass));
			this.operations.put(id, known);
		}
		return known.orElse(null);
	}

	private @Nullable LockOperation find(Method method, Class<?> targetClass) {
		if (ReflectionUtils.isObjectMethod(method)) {
			return null;
		}
		Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
		DistributedLock annotation = nearest(specific, MergedAnnotations.from(specific, SearchStrategy.TYPE_HIERARCHY));
		if (annotation == null && Modifier.isPublic(specific.getModifiers())) {
			annotation = nearest(specific, MergedAnnotations.from(targetClass, SearchStrategy.TYPE_HIERARCHY));
		}
		return (annotation != null) ? this.parser.parse(annotation, specific) : null;
	}

	private static @Nullable DistributedLock nearest(Method method, MergedAnnotations annotations) {
		List<MergedAnnotation<DistributedLock>> found = annotations.stream(DistributedLock.class).toList();
		if (found.isEmpty()) {
			return null;
		}
		MergedAnnotation<DistributedLock> first = found.get(0);
		if (found.stream().filter((other) -> other.getAggregateIndex() == first.getAggregateIndex()).count() > 1) {
			throw LockOperationParser.unsupported(method, "value",
					"stands there more than once, which is not supported yet", "Use one @DistributedLock.");
		}
		return first.synthesize();
	}

	private record Id(Method method, Class<?> targetClass) {

	}

}
