package io.holdfast.aop;

import java.util.function.Predicate;

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

/**
 * Goes through an expression and checks its names. What a bare word means depends on
 * where it stands: a property of the root object, of what is to its left, or of an
 * element of a collection. Only for the root object is it known what there is.
 */
final class ExpressionCheck {

	private final ExpressionNames names;

	private final Predicate<String> beans;

	ExpressionCheck(ExpressionNames names, Predicate<String> beans) {
		this.names = names;
		this.beans = beans;
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
				this.names.requireProperty(first.toStringAST().substring(1), property.getName(), property.isNullSafe());
			}
			if (nextOnRoot && next instanceof PropertyOrFieldReference property) {
				this.names.requireRootProperty(property.getName());
			}
			else {
				check(next, nextOnRoot, inRoot);
			}
		}
	}

	private void checkArguments(SpelNode node, boolean onRoot, boolean inRoot) {
		if (onRoot && node instanceof MethodReference call) {
			this.names.requireRootMethod(call.getName(), call.getChildCount());
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

	private void checkName(SpelNode node, boolean onRoot) {
		if (isRoot(node, onRoot)) {
			this.names.refuseCall(node.toStringAST());
		}
		else if (node instanceof VariableReference) {
			this.names.requireVariable(node.toStringAST().substring(1));
		}
		else if (node instanceof BeanReference) {
			this.names.requireBean(node.toStringAST().replaceFirst("^[@&]", "").replace("'", ""), this.beans);
		}
		else if (node instanceof FunctionReference) {
			this.names.refuseFunction(node.toStringAST());
		}
		else if (onRoot && node instanceof PropertyOrFieldReference property) {
			this.names.requireBareWord(property.getName());
		}
	}

}
