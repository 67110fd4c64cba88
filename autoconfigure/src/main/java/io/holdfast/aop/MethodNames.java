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
		return Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ",
					"%s.%s(".formatted(method.getDeclaringClass().getName(), method.getName()), ")"));
	}

}
