package io.holdfast.aop;

import java.util.ArrayList;
import java.util.List;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.StringUtils;

/**
 * What an expression refers to by name. A member stands there as often as the expression
 * names it.
 */
record ExpressionReferences(List<String> members, List<String> types, List<String> beans) {

	static ExpressionReferences in(String expression) {
		ExpressionReferences references = new ExpressionReferences(new ArrayList<>(), new ArrayList<>(),
				new ArrayList<>());
		references.add(new SpelExpressionParser().parseRaw(expression).getAST());
		return references;
	}

	private void add(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property) {
			this.members.add(property.getName());
		}
		else if (node instanceof MethodReference method) {
			this.members.add(method.getName());
		}
		else if (node instanceof StringLiteral literal) {
			// In brackets it can be a property
			this.members.add(String.valueOf(literal.getLiteralValue().getValue()));
		}
		else if (node instanceof TypeReference || node instanceof ConstructorReference) {
			this.types.add(node.getChild(0).toStringAST());
		}
		else if (node instanceof BeanReference) {
			this.beans.add(StringUtils.deleteAny(node.toStringAST(), "@'"));
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			add(node.getChild(i));
		}
	}

}
