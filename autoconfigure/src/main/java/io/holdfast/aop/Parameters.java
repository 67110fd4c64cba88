package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * The variables of an expression: the parameters of the method, by name if the class file
 * has their names, and by position.
 */
final class Parameters {

	private static final Pattern POSITION = Pattern.compile("[ap]\\d+");

	private final Map<String, Integer> positions = new HashMap<>();

	private final int count;

	private final String @Nullable [] names;

	Parameters(Method method, Method declaration) {
		ParameterNameDiscoverer discoverer = new DefaultParameterNameDiscoverer();
		String[] declared = discoverer.getParameterNames(declaration);
		this.names = (declared != null) ? declared : discoverer.getParameterNames(method);
		this.count = Methods.parameterCount(method);
		for (int i = 0; i < this.count; i++) {
			this.positions.put("a" + i, i);
			this.positions.put("p" + i, i);
			if (this.names != null && i < this.names.length) {
				this.positions.put(this.names[i], i);
			}
		}
	}

	int count() {
		return this.count;
	}

	@Nullable Integer position(String name) {
		return this.positions.get(name);
	}

	// An unknown one would be null, and the same key for all calls
	@Nullable Unknown unknownIn(SpelNode node) {
		Unknown unknown = (node instanceof VariableReference) ? unknown(node.toStringAST().substring(1)) : null;
		for (int i = 0; unknown == null && i < node.getChildCount(); i++) {
			unknown = unknownIn(node.getChild(i));
		}
		return unknown;
	}

	private @Nullable Unknown unknown(String name) {
		if (name.equals("root") || name.equals("this") || this.positions.containsKey(name)) {
			return null;
		}
		return (this.names == null && !POSITION.matcher(name).matches())
				? new Unknown(name, "but the class file has no parameter names",
						"Compile with the option '-parameters' (Maven: set the property 'maven.compiler.parameters' to"
								+ " 'true'; Gradle: \"options.compilerArgs.add('-parameters')\"; Kotlin:"
								+ " '-java-parameters'), or name the parameter by its position: #p0 is the first.")
				: new Unknown(name, "which is not a parameter of the method", toUse());
	}

	private String toUse() {
		if (this.count == 0) {
			return "Use a property of '#root' or a literal: the method has no parameters.";
		}
		String positions = (this.count > 1) ? "#p0 to #p" + (this.count - 1) : "#p0";
		return (this.names == null) ? "Use a parameter: %s.".formatted(positions)
				: "Use a parameter: %s (or %s).".formatted(
						Arrays.stream(this.names).map((name) -> "#" + name).collect(Collectors.joining(", ")),
						positions);
	}

	record Unknown(String name, String problem, String action) {
	}

}
