package io.holdfast.aop;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Registers what expressions call, for native images: the members that they name, of all
 * types that they can reach by declared types.
 */
record ExpressionHints(ReflectionHints hints, Class<?> target, Method method) {

	// In brackets, a literal can be a property
	private static final Pattern NAME = Pattern.compile("[\\w$]+");

	private static final Pattern TYPE = Pattern.compile("(?:\\bT\\(|\\bnew\\b)\\s*([\\w.$]+)");

	private static final Pattern BEAN = Pattern.compile("@('[^']+'|[\\w$]+)");

	void register(String expression, BeanFactory beans) {
		List<String> names = NAME.matcher(expression).results().map(MatchResult::group).toList();
		Stream<ResolvableType> parameters = Stream.iterate(0, (i) -> i < this.method.getParameterCount(), (i) -> i + 1)
			.map((i) -> ResolvableType.forMethodParameter(this.method, i, this.target));
		Stream<ResolvableType> root = names.contains("target") ? Stream.of(ResolvableType.forClass(this.target))
				: Stream.of();
		// a bean that is missing now may be there at run time
		Stream<ResolvableType> named = matches(BEAN, expression).map((bean) -> StringUtils.delete(bean, "'"))
			.filter(beans::containsBean)
			.map((bean) -> ResolvableType.forClass(beans.getType(bean, false)));
		Stream.of(parameters, root, named, types(expression))
			.flatMap((types) -> types)
			.forEach((type) -> follow(type, names, names.size()));
	}

	private Stream<ResolvableType> types(String expression) {
		ClassLoader classLoader = this.target.getClassLoader();
		return matches(TYPE, expression).map((name) -> name.contains(".") ? name : "java.lang." + name)
			.filter((name) -> ClassUtils.isPresent(name, classLoader))
			.map((name) -> ClassUtils.resolveClassName(name, classLoader))
			.peek((type) -> this.hints.registerType(type, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS))
			.map(ResolvableType::forClass);
	}

	private static Stream<String> matches(Pattern pattern, String expression) {
		return pattern.matcher(expression).results().map((match) -> match.group(1));
	}

	private void follow(ResolvableType type, List<String> names, int steps) {
		if (steps == 0) {
			return;
		}
		if (type.isArray()) {
			follow(type.getComponentType(), names, steps);
		}
		for (ResolvableType generic : type.getGenerics()) {
			follow(generic, names, steps);
		}
		Class<?> owner = type.toClass();
		Predicate<String> named = (member) -> names.stream()
			.anyMatch((name) -> member.equals(name) || member.equals("get" + StringUtils.capitalize(name))
					|| member.equals("is" + StringUtils.capitalize(name)));
		for (Method member : owner.getMethods()) {
			if (named.test(member.getName())) {
				this.hints.registerType(owner).registerMethod(member, ExecutableMode.INVOKE);
				follow(ResolvableType.forType(member.getGenericReturnType(), type), names, steps - 1);
			}
		}
		for (Field member : owner.getFields()) {
			if (named.test(member.getName())) {
				this.hints.registerType(owner).registerField(member);
				follow(ResolvableType.forType(member.getGenericType(), type), names, steps - 1);
			}
		}
	}

}
