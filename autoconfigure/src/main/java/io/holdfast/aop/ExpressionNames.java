package io.holdfast.aop;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;

/**
 * The names an expression may use: those of the method's parameters, and what the root
 * object has.
 */
final class ExpressionNames {

	private static final Pattern POSITION = Pattern.compile("[ap]\\d+");

	private static final Set<String> ROOT_PROPERTIES = Stream
		.concat(Arrays.stream(LockCall.class.getRecordComponents()).map(RecordComponent::getName), Stream.of("class"))
		.collect(Collectors.toUnmodifiableSet());

	private final Method method;

	private final String attribute;

	private final String text;

	private final String @Nullable [] parameters;

	private final Set<String> variables = new HashSet<>(Set.of("root", "this"));

	/**
	 * Create the names for an expression.
	 * @param method the method with the parameters
	 * @param attribute the attribute that the expression is in
	 * @param text the whole expression
	 */
	ExpressionNames(Method method, String attribute, String text) {
		this.method = method;
		this.attribute = attribute;
		this.text = text;
		this.parameters = new DefaultParameterNameDiscoverer().getParameterNames(method);
		for (int i = 0; i < method.getParameterCount(); i++) {
			this.variables.add("a" + i);
			this.variables.add("p" + i);
		}
		if (this.parameters != null) {
			this.variables.addAll(Arrays.asList(this.parameters));
		}
	}

	void requireVariable(String name) {
		if (this.variables.contains(name)) {
			return;
		}
		if (this.parameters == null && !POSITION.matcher(name).matches()) {
			throw refused("#" + name, "but the class file has no parameter names",
					"Compile with the option '-parameters' (Maven: set the property 'maven.compiler.parameters' to"
							+ " 'true'; Gradle: \"options.compilerArgs.add('-parameters')\"), or name the parameter"
							+ " by its position: #p0 is the first.");
		}
		throw refused("#" + name, "which is not a parameter of the method", known());
	}

	void refuseFunction(String call) {
		throw refused(call, "but there are no functions",
				"Call a method instead: of a parameter (\"#order.key()\"), a bean (\"@keys.of(#order)\") or a class"
						+ " (\"T(com.example.Keys).of(#order)\").");
	}

	void requireRootProperty(String name) {
		if (!ROOT_PROPERTIES.contains(name)) {
			throw refused(name, "which is neither a parameter nor a literal as it stands",
					"Put a literal in quotes (\"'%s'\"), and a hash before a parameter (\"#%s\").".formatted(
							(name.equals(this.text.trim()) || !isPlain(this.text)) ? name : this.text.trim(), name));
		}
	}

	void requireRootMethod(String name, int arguments) {
		boolean known = Arrays.stream(LockCall.class.getMethods())
			.anyMatch((candidate) -> candidate.getName().equals(name) && candidate.getParameterCount() == arguments);
		if (!known) {
			throw refused(name + "(...)", "which is called on nothing",
					"Say on what to call it: a parameter (\"#order.%1$s()\"), a bean (\"@orders.%1$s()\") or the object with the method (\"#root.target.%1$s()\")."
						.formatted(name));
		}
	}

	/**
	 * Whether a text can have been meant as a literal.
	 */
	private static boolean isPlain(String text) {
		return text.chars().noneMatch((c) -> "'\"#@()".indexOf(c) >= 0);
	}

	private String known() {
		int count = this.method.getParameterCount();
		if (count == 0) {
			return "Use '#root' or a literal: the method has no parameters.";
		}
		String positions = (count > 1) ? "#p0 to #p" + (count - 1) : "#p0";
		if (this.parameters == null) {
			return "Use what there is: %s.".formatted(positions);
		}
		return "Use what there is: %s (or %s).".formatted(
				Arrays.stream(this.parameters).map((name) -> "#" + name).collect(Collectors.joining(", ")), positions);
	}

	private InvalidDistributedLockException refused(String name, String problem, String action) {
		return new InvalidDistributedLockException(this.method, this.attribute,
				"refers to \"%s\", %s: \"%s\"".formatted(name, problem, this.text), action, null);
	}

}
