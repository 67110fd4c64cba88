package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.Collection;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.util.ObjectUtils;

/**
 * An expression of an annotation, parsed once and evaluated for each call.
 */
final class LockExpression {

	private final Method method;

	private final String attribute;

	private final Expression expression;

	LockExpression(Method method, String attribute, Expression expression) {
		this.method = method;
		this.attribute = attribute;
		this.expression = expression;
	}

	String evaluateKey(EvaluationContext context) {
		Object value = ObjectUtils.unwrapOptional(evaluate(context));
		if (value instanceof Collection || ObjectUtils.isArray(value)) {
			throw new UnsupportedOperationException(
					"%s evaluated to several keys; locking several keys at once is not supported yet: %s"
						.formatted(subject(), this.expression.getExpressionString()));
		}
		if (value == null) {
			throw failure("evaluated to null", null);
		}
		String key = value.toString();
		if (key.isBlank()) {
			throw failure("evaluated to a blank key", null);
		}
		if (key.equals(value.getClass().getName() + "@" + Integer.toHexString(value.hashCode()))) {
			throw failure(
					"evaluated to an object without a text of its own, '%s': name one of its properties".formatted(key),
					null);
		}
		return key;
	}

	boolean evaluateCondition(EvaluationContext context) {
		if (evaluate(context) instanceof Boolean condition) {
			return condition;
		}
		throw failure("did not evaluate to true or false", null);
	}

	private @Nullable Object evaluate(EvaluationContext context) {
		try {
			return this.expression.getValue(context);
		}
		catch (EvaluationException ex) {
			throw failure("cannot be evaluated (%s)%s".formatted(ex.getMessage(), hint(ex)), ex);
		}
	}

	/**
	 * Whoever begins with a bare word has most likely forgotten something.
	 */
	private String hint(EvaluationException failure) {
		String text = this.expression.getExpressionString();
		boolean bareWord = failure instanceof SpelEvaluationException spel
				&& spel.getMessageCode() == SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE
				&& Character.isJavaIdentifierStart(text.charAt(0));
		return bareWord ? "; a literal wants quotes (\"'%s'\"), a parameter a hash (\"#%s\")".formatted(text, text)
				: "";
	}

	private IllegalArgumentException failure(String problem, @Nullable Throwable cause) {
		return new IllegalArgumentException(
				"%s %s: %s".formatted(subject(), problem, this.expression.getExpressionString()), cause);
	}

	private String subject() {
		return "The %s of @DistributedLock on %s".formatted(this.attribute, MethodNames.of(this.method));
	}

}
