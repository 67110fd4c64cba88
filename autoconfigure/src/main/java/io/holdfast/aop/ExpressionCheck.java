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
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Goes through an expression and checks its names. Its variables are the parameters of
 * the method, by name if the class file has their names, and by position; its root object
 * is the {@link LockCall}. What a bare word means depends on where it stands: a property
 * of the root object, of what is to its left, or of an element of a collection. Only for
 * the root object is it known what there is.
 */
final class ExpressionCheck {

	private static final Pattern POSITION = Pattern.compile("[ap]\\d+");

	private static final List<String> ROOT_PROPERTIES = Arrays.stream(LockCall.class.getRecordComponents())
		.map(RecordComponent::getName)
		.toList();

	private final Map<String, Integer> parameters = new HashMap<>();

	private final Method method;

	private final Method declaration;

	private final String attribute;

	private final String expression;

	private final Predicate<String> beans;

	private final String @Nullable [] names;

	ExpressionCheck(Method method, Method declaration, String attribute, String expression, Predicate<String> beans) {
		this.method = method;
		this.declaration = declaration;
		this.attribute = attribute;
		this.expression = expression;
		this.beans = beans;
		ParameterNameDiscoverer discoverer = new DefaultParameterNameDiscoverer();
		String[] declared = discoverer.getParameterNames(declaration);
		this.names = (declared != null) ? declared : discoverer.getParameterNames(method);
		for (int i = 0; i < Methods.parameterCount(method); i++) {
			this.parameters.put("a" + i, i);
			this.parameters.put("p" + i, i);
			if (this.names != null && i < this.names.length) {
				this.parameters.put(this.names[i], i);
			}
		}
	}

	Map<String, Integer> parameters() {
		return this.parameters;
	}

	void check(SpelNode expression) {
		check(expression, true, true);
	}

	private void check(SpelNode node, boolean onRoot, boolean inRoot) {
		if (node instanceof CompoundExpression) {
			checkChain(node, onRoot, inRoot);
		}
		else if (node instanceof Projection || node instanceof Selection) {
			checkChildren(node, false, false);
		}
		else if (node instanceof MethodReference || node instanceof Indexer) {
			checkArguments(node, onRoot, inRoot);
		}
		else {
			checkName(node, onRoot);
			checkChildren(node, onRoot, inRoot);
		}
	}

	private void checkChain(SpelNode chain, boolean onRoot, boolean inRoot) {
		SpelNode first = chain.getChild(0);
		boolean secondOnRoot = isRoot(first, onRoot);
		if (!secondOnRoot) {
			check(first, onRoot, inRoot);
		}
		for (int i = 1; i < chain.getChildCount(); i++) {
			SpelNode next = chain.getChild(i);
			boolean nextOnRoot = secondOnRoot && i == 1;
			if (i == 1 && first instanceof VariableReference && next instanceof PropertyOrFieldReference property) {
				checkProperty(variable(first), property.getName(), property.isNullSafe());
			}
			if (nextOnRoot && next instanceof PropertyOrFieldReference property) {
				refuse(!isRootProperty(property.getName()), property.getName(), "which #root does not have",
						rootPropertiesToUse());
			}
			else {
				check(next, nextOnRoot, inRoot);
			}
		}
	}

	private void checkArguments(SpelNode node, boolean onRoot, boolean inRoot) {
		if (onRoot && node instanceof MethodReference call) {
			checkMethodOfRoot(call.getName(), call.getChildCount());
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode argument = node.getChild(i);
			// a bare word in brackets can be the key of a map
			if (!(node instanceof Indexer && argument instanceof PropertyOrFieldReference)
					&& !isRoot(argument, inRoot)) {
				check(argument, inRoot, inRoot);
			}
		}
	}

	private void checkChildren(SpelNode node, boolean onRoot, boolean inRoot) {
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			boolean literal = node instanceof InlineMap && i % 2 == 0 && child instanceof PropertyOrFieldReference;
			if (!literal) {
				check(child, onRoot, inRoot);
			}
		}
	}

	private static boolean isRoot(SpelNode node, boolean onRoot) {
		return "#root".equals(node.toStringAST()) || (onRoot && "#this".equals(node.toStringAST()));
	}

	private static String variable(SpelNode node) {
		return node.toStringAST().substring(1);
	}

	private void checkName(SpelNode node, boolean onRoot) {
		String text = node.toStringAST();
		// the text of the call is another one each time, and so would be the key
		refuse(isRoot(node, onRoot), text, "which is the call itself, and another one each time",
				rootPropertiesToUse());
		refuse(node instanceof FunctionReference, text, "but functions are not supported",
				"Call a method instead: of a parameter (\"#order.key()\"), a bean (\"@keys.of(#order)\") or a class"
						+ " (\"T(com.example.Keys).of(#order)\").");
		if (node instanceof VariableReference) {
			checkVariable(variable(node));
		}
		else if (node instanceof BeanReference) {
			String name = text.replaceFirst("^[@&]", "").replace("'", "");
			refuse(!this.beans.test(name), "@" + name, "which is not the name of a bean",
					"Use the name of a bean of the application context, or define a bean named '%s'.".formatted(name));
		}
		else if (onRoot && node instanceof PropertyOrFieldReference property) {
			String word = property.getName();
			refuse(!isRootProperty(word), word, "which is neither a parameter nor a literal",
					"Put a literal in quotes (\"'%s'\"), and a hash before a parameter (\"#%s\")."
						.formatted(literal(word), word));
		}
	}

	private void checkVariable(String name) {
		boolean known = name.equals("root") || name.equals("this") || this.parameters.containsKey(name);
		refuse(!known && this.names == null && !POSITION.matcher(name).matches(), "#" + name,
				"but the class file has no parameter names",
				"Compile with the option '-parameters' (Maven: set the property 'maven.compiler.parameters' to"
						+ " 'true'; Gradle: \"options.compilerArgs.add('-parameters')\"; Kotlin:"
						+ " '-java-parameters'), or name the parameter by its position: #p0 is the first.");
		refuse(!known, "#" + name, "which is not a parameter of the method", parametersToUse());
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

	// An object of a type that is not final may have more properties than that, and ?.
	// looks into an Optional
	private void checkProperty(String variable, String property, boolean nullSafe) {
		Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(typeOf(variable));
		boolean known = Modifier.isFinal(type.getModifiers()) && !type.isArray()
				&& !(nullSafe && type == Optional.class);
		refuse(known && !hasProperty(type, property), "#%s.%s".formatted(variable, property),
				"which %s does not have".formatted(type.getName()),
				"Use a property of %s, with a getter, an accessor of that name, or a public field."
					.formatted(type.getSimpleName()));
	}

	private Class<?> typeOf(String variable) {
		Integer position = this.parameters.get(variable);
		return (position != null) ? Methods.unboxed(this.method.getParameterTypes()[position]) : Object.class;
	}

	private static boolean hasProperty(Class<?> type, String property) {
		List<String> accessors = List.of(property, "get" + property, "is" + property,
				"get" + StringUtils.capitalize(property), "is" + StringUtils.capitalize(property));
		return Arrays.stream(type.getMethods())
			.anyMatch((candidate) -> candidate.getParameterCount() == 0 && accessors.contains(candidate.getName()))
				|| Arrays.stream(type.getFields()).anyMatch((field) -> field.getName().equals(property));
	}

	void refusePrimitiveArray(SpelNode expression) {
		if (expression instanceof VariableReference) {
			String variable = variable(expression);
			Class<?> type = typeOf(variable);
			refuse(Methods.isPrimitiveArray(type), "#" + variable,
					"which is %s, and it is not clear whether that means one key or several"
						.formatted(type.getSimpleName()),
					"Write \"#%1$s.![#this]\" for a key for each element, or \"T(java.util.Arrays).toString(#%1$s)\" for one key."
						.formatted(variable));
		}
	}

	private void checkMethodOfRoot(String name, int arguments) {
		boolean known = Arrays.stream(LockCall.class.getMethods())
			.anyMatch((candidate) -> candidate.getName().equals(name) && candidate.getParameterCount() == arguments);
		refuse(!known, name + "(...)", "which is called without an object",
				"Call it on a parameter (\"#order.%1$s()\"), a bean (\"@orders.%1$s()\") or the object with the method (\"#root.target.%1$s()\")."
					.formatted(name));
	}

	private static String rootPropertiesToUse() {
		return "Use one of its properties: %s.".formatted(String.join(", ", ROOT_PROPERTIES));
	}

	private static boolean isRootProperty(String name) {
		return ROOT_PROPERTIES.contains(name) || name.equals("class");
	}

	private String literal(String word) {
		String text = this.expression.trim();
		return text.chars().noneMatch((c) -> "'\"#@()".indexOf(c) >= 0) ? text : word;
	}

	private void refuse(boolean wrong, String name, String problem, String action) {
		if (wrong) {
			throw new InvalidDistributedLockException(this.declaration, this.attribute,
					"refers to \"%s\", %s: \"%s\"".formatted(name, problem, this.expression), action, null);
		}
	}

}
