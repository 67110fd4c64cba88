package io.holdfast.aop;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.core.ResolvableType;
import org.springframework.util.StringUtils;

/**
 * Registers those members of types that an expression may use. It is not known which name
 * belongs to which object, so each type is followed along all of them, as far as there
 * are steps in the expression.
 */
final class MemberHints {

	private final ReflectionHints hints;

	private final List<String> names;

	MemberHints(ReflectionHints hints, List<String> names) {
		this.hints = hints;
		this.names = names;
	}

	void follow(ResolvableType type) {
		follow(type, this.names.size());
	}

	private void follow(ResolvableType type, int steps) {
		if (steps == 0) {
			return;
		}
		if (type.isArray()) {
			follow(type.getComponentType(), steps);
		}
		for (ResolvableType generic : type.getGenerics()) {
			follow(generic, steps);
		}
		Class<?> owner = type.toClass();
		for (Method method : owner.getMethods()) {
			if (isNamed(method)) {
				this.hints.registerType(owner).registerMethod(method, ExecutableMode.INVOKE);
				follow(ResolvableType.forType(method.getGenericReturnType(), type), steps - 1);
			}
		}
		for (Field field : owner.getFields()) {
			if (this.names.contains(field.getName())) {
				this.hints.registerType(owner).registerField(field);
				follow(ResolvableType.forType(field.getGenericType(), type), steps - 1);
			}
		}
	}

	private boolean isNamed(Method method) {
		return this.names.contains(method.getName()) || isGetter(method.getName(), "get")
				|| isGetter(method.getName(), "is");
	}

	private boolean isGetter(String method, String prefix) {
		if (!method.startsWith(prefix)) {
			return false;
		}
		String property = method.substring(prefix.length());
		return this.names.contains(property) || this.names.contains(StringUtils.uncapitalize(property));
	}

}
