package io.holdfast.aop;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;

/**
 * The variables of an expression: the parameters of the method, by name if the class file
 * has their names, and by position.
 */
final class ExpressionVariables {

	private static final Pattern POSITION = Pattern.compile("[ap]\\d+");

	private final Set<String> known = new HashSet<>(Set.of("root", "this"));

	private final ExpressionSite site;

	private final String @Nullable [] parameters;

	ExpressionVariables(ExpressionSite site) {
		this.site = site;
		this.parameters = new DefaultParameterNameDiscoverer().getParameterNames(site.method());
		for (int i = 0; i < SuspendFunctions.parameterCount(site.method()); i++) {
			this.known.add("a" + i);
			this.known.add("p" + i);
		}
		if (this.parameters != null) {
			this.known.addAll(Arrays.asList(this.parameters));
		}
	}

	void require(String name) {
		if (this.known.contains(name)) {
			return;
		}
		if (this.parameters == null && !POSITION.matcher(name).matches()) {
			throw this.site.refused("#" + name, "but the class file has no parameter names",
					"Compile with the option '-parameters' (Maven: set the property 'maven.compiler.parameters' to"
							+ " 'true'; Gradle: \"options.compilerArgs.add('-parameters')\"; Kotlin:"
							+ " '-java-parameters'), or name the parameter by its position: #p0 is the first.");
		}
		throw this.site.refused("#" + name, "which is not a parameter of the method", whatThereIs());
	}

	void refuseFunction(String call) {
		throw this.site.refused(call, "but there are no functions",
				"Call a method instead: of a parameter (\"#order.key()\"), a bean (\"@keys.of(#order)\") or a class"
						+ " (\"T(com.example.Keys).of(#order)\").");
	}

	private String whatThereIs() {
		int count = SuspendFunctions.parameterCount(this.site.method());
		if (count == 0) {
			return "Use '#root' or a literal: the method has no parameters.";
		}
		String positions = (count > 1) ? "#p0 to #p" + (count - 1) : "#p0";
		return (this.parameters == null) ? "Use what there is: %s.".formatted(positions)
				: "Use what there is: %s (or %s).".formatted(
						Arrays.stream(this.parameters).map((name) -> "#" + name).collect(Collectors.joining(", ")),
						positions);
	}

}
