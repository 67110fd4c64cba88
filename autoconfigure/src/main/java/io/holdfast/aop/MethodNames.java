package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Writes methods as people call them.
 */
final class MethodNames {

	private MethodNames() {
	}

	static String of(Method method) {
		return "%s.%s%s".formatted(method.getDeclaringClass().getName(), method.getName(), parameters(method));
	}

	static String parameters(Method method) {
		return Arrays.stream(method.getParameterTypes())
			.limit(SuspendFunctions.parameterCount(method))
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", "(", ")"));
	}

}
