package io.holdfast.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Reads the expressions of annotations, and refuses those that fail at every call.
 */
final class LockExpressions {

	private final SpelExpressionParser parser = new SpelExpressionParser();

	/**
	 * Return the expression of an attribute, or {@code null} when it is not set.
	 * @throws InvalidDistributedLockException when it cannot work
	 */
	@Nullable LockExpression parse(Method method, String attribute, String text) {
		if (text.isBlank()) {
			return null;
		}
		SpelExpression expression = read(method, attribute, text);
		new ExpressionCheck(new ExpressionSite(method, attribute, text)).check(expression.getAST());
		return new LockExpression(method, attribute, expression);
	}

	private SpelExpression read(Method method, String attribute, String text) {
		try {
			return this.parser.parseRaw(text);
		}
		catch (ParseException | IllegalStateException ex) {
			throw new InvalidDistributedLockException(method, attribute,
					"is not a valid SpEL expression: \"%s\" (%s)".formatted(text, ex.getMessage()),
					"Correct the expression. Parameters are written as \"#order.id\", literals in quotes as \"'orders'\".",
					ex);
		}
	}

}
