package io.holdfast.aop;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Registers the members that an expression may use. It is not known which name belongs to
 * which object, so each type is followed along all names, as far as there are steps in
 * the expression.
 */
final class ExpressionHints {

	private final ReflectionHints hints;

	private final Class<?> target;

	private final List<ResolvableType> types = new ArrayList<>();

	// A name is there as often as the expression has it
	private final List<String> names = new ArrayList<>();

	ExpressionHints(ReflectionHints hints, Class<?> target, Method method) {
		this.hints = hints;
		this.target = target;
		for (int i = 0; i < method.getParameterCount(); i++) {
			this.types.add(ResolvableType.forMethodParameter(method, i, target));
		}
	}

	void register(String expression, BeanFactory beans) {
		if (expression.isBlank()) {
			return;
		}
		collect(new SpelExpressionParser().parseRaw(expression).getAST(), beans);
		if (this.names.contains("target")) {
			this.types.add(ResolvableType.forClass(this.target));
		}
		this.types.forEach((type) -> follow(type, this.names.size()));
	}

	private void collect(SpelNode node, BeanFactory beans) {
		if (node instanceof PropertyOrFieldReference property) {
			this.names.add(property.getName());
		}
		else if (node instanceof MethodReference method) {
			this.names.add(method.getName());
		}
		else if (node instanceof StringLiteral literal) {
			// in brackets it can be a property
			this.names.add(String.valueOf(literal.getLiteralValue().getValue()));
		}
		else if (node instanceof TypeReference || node instanceof ConstructorReference) {
			addType(node.getChild(0).toStringAST());
		}
		else if (node instanceof BeanReference) {
			String name = StringUtils.deleteAny(node.toStringAST(), "@'");
			if (beans.containsBean(name)) { // else it may be there at run time
				this.types.add(ResolvableType.forClass(beans.getType(name, false)));
			}
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			collect(node.getChild(i), beans);
		}
	}

	private void addType(String name) {
		String full = name.contains(".") ? name : "java.lang." + name;
		ClassLoader classLoader = this.target.getClassLoader();
		if (ClassUtils.isPresent(full, classLoader)) {
			Class<?> type = ClassUtils.resolveClassName(full, classLoader);
			this.hints.registerType(type, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
			this.types.add(ResolvableType.forClass(type));
		}
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
			if (isNamed(method.getName())) {
				this.hints.registerType(owner).registerMethod(method, ExecutableMode.INVOKE);
				follow(ResolvableType.forType(method.getGenericReturnType(), type), steps - 1);
			}
		}
		for (Field field : owner.getFields()) {
			if (isNamed(field.getName())) {
				this.hints.registerType(owner).registerField(field);
				follow(ResolvableType.forType(field.getGenericType(), type), steps - 1);
			}
		}
	}

	private boolean isNamed(String member) {
		return this.names.stream()
			.anyMatch((name) -> member.equals(name) || member.equals("get" + StringUtils.capitalize(name))
					|| member.equals("is" + StringUtils.capitalize(name)));
	}

}
