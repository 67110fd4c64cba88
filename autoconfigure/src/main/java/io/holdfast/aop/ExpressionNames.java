package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * The names that an expression can refer to: its variables are the parameters of the
 * method, by name if the class file has their names, and by position; its root object is
 * the {@link LockCall}.
 */
final class ExpressionNames {

	private static final Pattern POSITION = Pattern.compile("[ap]\\d+");

	private static final List<String> ROOT_PROPERTIES = Arrays.stream(LockCall.class.getRecordComponents())
		.map(RecordComponent::getName)
		.toList();

	private final Map<String, Integer> parameters = new HashMap<>();

	private final Method method;

	private final Method declaration;

	private final String attribute;

	private final String expression;

	private final String @Nullable [] names;

	ExpressionNames(Method method, Method declaration, String attribute, String expression) {
		this.method = method;
		this.declaration = declaration;
		this.attribute = attribute;
		this.expression = expression;
		this.names = namesOfParameters();
		for (int i = 0; i < Methods.parameterCount(method); i++) {
			this.parameters.put("a" + i, i);
			this.parameters.put("p" + i, i);
			if (this.names != null && i < this.names.length) {
				this.parameters.put(this.names[i], i);
			}
		}
	}

	private String @Nullable [] namesOfParameters() {
		ParameterNameDiscoverer discoverer = new DefaultParameterNameDiscoverer();
		String[] declared = discoverer.getParameterNames(this.declaration);
		return (declared != null) ? declared : discoverer.getParameterNames(this.method);
	}

	Map<String, Integer> parameters() {
		return this.parameters;
	}

	void requireVariable(String name) {
		if (name.equals("root") || name.equals("this") || this.parameters.containsKey(name)) {
			return;
		}
		if (this.names == null && !POSITION.matcher(name).matches()) {
			throw refused("#" + name, "but the class file has no parameter names",
					"Compile with the option '-parameters' (Maven: set the property 'maven.compiler.parameters' to"
							+ " 'true'; Gradle: \"options.compilerArgs.add('-parameters')\"; Kotlin:"
							+ " '-java-parameters'), or name the parameter by its position: #p0 is the first.");
		}
		throw refused("#" + name, "which is not a parameter of the method", parametersToUse());
	}

	/**
	 * An object of a type that is not final may have more properties than that, and
	 * {@code ?.} looks into an {@link Optional}.
	 */
	void requireProperty(String variable, String property, boolean nullSafe) {
		Integer position = this.parameters.get(variable);
		Class<?> type = (position != null)
				? ClassUtils.resolvePrimitiveIfNecessary(Methods.unboxed(this.method.getParameterTypes()[position]))
				: Object.class;
		boolean known = Modifier.isFinal(type.getModifiers()) && !type.isArray()
				&& !(nullSafe && type == Optional.class);
		if (known && !hasProperty(type, property)) {
			throw refused("#%s.%s".formatted(variable, property), "which %s does not have".formatted(type.getName()),
					"Use a property of %s, with a getter, an accessor of that name, or a public field."
						.formatted(type.getSimpleName()));
		}
	}

	private static boolean hasProperty(Class<?> type, String property) {
		List<String> accessors = List.of(property, "get" + property, "is" + property,
				"get" + StringUtils.capitalize(property), "is" + StringUtils.capitalize(property));
		return Arrays.stream(type.getMethods())
			.anyMatch((candidate) -> candidate.getParameterCount() == 0 && accessors.contains(candidate.getName()))
				|| Arrays.stream(type.getFields()).anyMatch((field) -> field.getName().equals(property));
	}

	void refusePrimitiveArray(String variable) {
		Integer position = this.parameters.get(variable);
		Class<?> type = (position != null) ? Methods.unboxed(this.method.getParameterTypes()[position]) : Object.class;
		if (Methods.isPrimitiveArray(type)) {
			throw refused("#" + variable,
					"which is %s, and it is not clear whether that means one key or several"
						.formatted(type.getSimpleName()),
					"Write \"#%1$s.![#this]\" for a key for each element, or \"T(java.util.Arrays).toString(#%1$s)\" for one key."
						.formatted(variable));
		}
	}

	void requireBean(String name, Predicate<String> beans) {
		if (!beans.test(name)) {
			throw refused("@" + name, "which is not the name of a bean",
					"Use the name of a bean of the application context, or define a bean named '%s'.".formatted(name));
		}
	}

	private String parametersToUse() {
		int count = Methods.parameterCount(this.method);
		if (count == 0) {
			return "Use a property of '#root' or a literal: the method has no parameters.";
		}
		String positions = (count > 1) ? "#p0 to #p" + (count - 1) : "#p0";
		return (this.names == null) ? "Use a parameter: %s.".formatted(positions)
				: "Use a parameter: %s (or %s).".formatted(
						Arrays.stream(this.names).map((name) -> "#" + name).collect(Collectors.joining(", ")),
						positions);
	}

	void refuseFunction(String call) {
		throw refused(call, "but functions are not supported",
				"Call a method instead: of a parameter (\"#order.key()\"), a bean (\"@keys.of(#order)\") or a class"
						+ " (\"T(com.example.Keys).of(#order)\").");
	}

	/**
	 * The text of the call is another one each time, and so would be the key.
	 */
	void refuseCall(String name) {
		throw refused(name, "which is the call itself, and another one each time", rootPropertiesToUse());
	}

	void requireRootProperty(String name) {
		if (!isRootProperty(name)) {
			throw refused(name, "which #root does not have", rootPropertiesToUse());
		}
	}

	private static String rootPropertiesToUse() {
		return "Use one of its properties: %s.".formatted(String.join(", ", ROOT_PROPERTIES));
	}

	void requireBareWord(String word) {
		if (!isRootProperty(word)) {
			throw refused(word, "which is neither a parameter nor a literal",
					"Put a literal in quotes (\"'%s'\"), and a hash before a parameter (\"#%s\")."
						.formatted(literal(word), word));
		}
	}

	void requireRootMethod(String name, int arguments) {
		boolean known = Arrays.stream(LockCall.class.getMethods())
			.anyMatch((candidate) -> candidate.getName().equals(name) && candidate.getParameterCount() == arguments);
		if (!known) {
			throw refused(name + "(...)", "which is called without an object",
					"Call it on a parameter (\"#order.%1$s()\"), a bean (\"@orders.%1$s()\") or the object with the method (\"#root.target.%1$s()\")."
						.formatted(name));
		}
	}

	private static boolean isRootProperty(String name) {
		return ROOT_PROPERTIES.contains(name) || name.equals("class");
	}

	private String literal(String word) {
		String text = this.expression.trim();
		return text.chars().noneMatch((c) -> "'\"#@()".indexOf(c) >= 0) ? text : word;
	}

	private InvalidDistributedLockException refused(String name, String problem, String action) {
		return new InvalidDistributedLockException(this.declaration, this.attribute,
				"refers to \"%s\", %s: \"%s\"".formatted(name, problem, this.expression), action, null);
	}

}
