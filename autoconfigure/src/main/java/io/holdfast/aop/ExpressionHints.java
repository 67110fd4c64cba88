package io.holdfast.aop;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
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

	// In any alphabet, and in literals too: ['name'] is a property
	private static final Pattern NAME = Pattern.compile("(?U)[\\w$]+");

	private static final Pattern TYPE = Pattern.compile("(?U)(?:\\bT\\(|\\bnew\\b)\\s*([\\w.$]+)");

	private static final Pattern BEAN = Pattern.compile("(?U)@('[^']+'|[\\w$]+)");

	void register(String expression, BeanFactory beans) {
		List<String> names = NAME.matcher(expression).results().map(MatchResult::group).toList();
		Stream<ResolvableType> parameters = IntStream.range(0, this.method.getParameterCount())
			.mapToObj((i) -> ResolvableType.forMethodParameter(this.method, i, this.target));
		Stream<ResolvableType> root = names.contains("target") ? Stream.of(ResolvableType.forClass(this.target))
				: Stream.of();
		// a bean that is missing now may be there at run time
		Stream<ResolvableType> named = matches(BEAN, expression).map((bean) -> StringUtils.delete(bean, "'"))
			.filter(beans::containsBean)
			.map((bean) -> ResolvableType.forClass(beans.getType(bean, false)));
		List<ResolvableType> types = Stream.of(parameters, root, named, types(expression))
			.flatMap(Function.identity())
			.toList();
		Set<ResolvableType> known = new HashSet<>();
		for (int i = 0; i < names.size(); i++) {
			Set<ResolvableType> found = new LinkedHashSet<>();
			types.forEach((type) -> addWithElements(type, known, found));
			types = found.stream().flatMap((type) -> follow(type, names)).toList();
		}
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

	private static void addWithElements(ResolvableType type, Set<ResolvableType> known, Set<ResolvableType> found) {
		if (!known.add(type)) {
			return;
		}
		found.add(type);
		if (type.isArray()) {
			addWithElements(type.getComponentType(), known, found);
		}
		for (ResolvableType generic : type.getGenerics()) {
			addWithElements(generic, known, found);
		}
	}

	// Registers the members that are named, and returns their types
	private Stream<ResolvableType> follow(ResolvableType type, List<String> names) {
		Class<?> owner = type.toClass();
		Predicate<String> named = (member) -> names.stream()
			.anyMatch((name) -> member.equals(name) || member.equals("get" + StringUtils.capitalize(name))
					|| member.equals("is" + StringUtils.capitalize(name)));
		List<Method> methods = Stream.of(owner.getMethods()).filter((member) -> named.test(member.getName())).toList();
		List<Field> fields = Stream.of(owner.getFields()).filter((member) -> named.test(member.getName())).toList();
		methods.forEach((member) -> this.hints.registerType(owner).registerMethod(member, ExecutableMode.INVOKE));
		fields.forEach((member) -> this.hints.registerType(owner).registerField(member));
		return Stream
			.concat(methods.stream().map(Method::getGenericReturnType), fields.stream().map(Field::getGenericType))
			.map((member) -> (member instanceof Class<?> plain) ? ResolvableType.forClass(plain)
					: ResolvableType.forType(member, type));
	}

}
