package io.holdfast.aop;

import java.lang.reflect.Method;

import io.holdfast.DistributedLock;
import io.holdfast.OnFailure;

import org.springframework.core.KotlinDetector;

/**
 * Reads what an annotation wants done when its lock is not acquired in time.
 */
final class Reactions {

	private Reactions() {
	}

	static FailureReaction of(DistributedLock annotation, Method method, Class<?> targetClass) {
		boolean skip = annotation.onFailure() == OnFailure.SKIP;
		if (annotation.fallback().isBlank()) {
			return skip ? skip(method, targetClass) : new Rethrow();
		}
		if (skip) {
			throw new InvalidDistributedLockException(method, "fallback",
					"does not go together with onFailure = SKIP: \"%s\"".formatted(annotation.fallback()),
					"Remove one of the two.", null);
		}
		return new FallbackResolver(method, targetClass).resolve(annotation.fallback().trim());
	}

	private static FailureReaction skip(Method method, Class<?> targetClass) {
		return KotlinDetector.isSuspendingFunction(method) ? new SuspendedSkip(method)
				: new Skip(TargetMethods.returnType(method, targetClass));
	}

}
