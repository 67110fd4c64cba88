package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

import io.holdfast.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

final class LockExpression {

	// Never compiled, whatever 'spring.expression.compiler.mode' says: compiled code
	// expects values of one type
	private static final SpelExpressionParser PARSER = new SpelExpressionParser(
			new SpelParserConfiguration(SpelCompilerMode.OFF, null));

	// Not what repeats a sign in a regular expression, as '#{2,}'
	private static final Pattern TEMPLATE = Pattern.compile("#\\{\\D");

	private final Method method;

	private final String attribute;

	private final SpelExpression expression;

	private final Parameters parameters;

	private final StandardEvaluationContext sharedContext;

	private final TypeConverter converter = new ConverterForKeys();

	private LockExpression(Method method, String attribute, SpelExpression expression, Parameters parameters,
			StandardEvaluationContext sharedContext) {
		this.method = method;
		this.attribute = attribute;
		this.expression = expression;
		this.parameters = parameters;
		this.sharedContext = sharedContext;
	}

	static @Nullable LockExpression parse(Method method, Method declaration, String attribute, String text,
			StandardEvaluationContext sharedContext) {
		if (text.isBlank()) {
			return null;
		}
		if (text.contains("${")) {
			throw new InvalidDistributedLockException(method, attribute,
					"has a placeholder, which is not resolved there: \"%s\"".formatted(text),
					"Ask the environment: \"@environment.getProperty('tenant') + #order.id\".", null);
		}
		SpelExpression expression = read(method, attribute, text);
		if (TEMPLATE.matcher(text).find()) {
			throw new InvalidDistributedLockException(method, attribute,
					"has an expression in a literal, which is not evaluated there: \"%s\"".formatted(text),
					"Write it outside of the literal: \"'order:' + #order.id\".", null);
		}
		Parameters parameters = new Parameters(method, declaration);
		Parameters.Unknown unknown = parameters.unknownIn(expression.getAST());
		if (unknown != null) {
			throw new InvalidDistributedLockException(declaration, attribute,
					"refers to \"#%s\", %s: \"%s\"".formatted(unknown.name(), unknown.problem(), text),
					unknown.action(), null);
		}
		return new LockExpression(method, attribute, expression, parameters, sharedContext);
	}

	private static SpelExpression read(Method method, String attribute, String text) {
		try {
			return PARSER.parseRaw(text);
		}
		catch (ParseException | IllegalStateException ex) {
			throw new InvalidDistributedLockException(method, attribute,
					"is not a valid SpEL expression: \"%s\" (%s)".formatted(text, ex.getMessage()),
					"Correct the expression. Parameters are written as \"#order.id\", literals in quotes as \"'orders'\".",
					ex);
		}
	}

	// Whether it stands for several keys in each call
	boolean isList() {
		return this.expression.getAST() instanceof InlineList list && list.getChildCount() > 1;
	}

	LockRequest request(LockRequest prototype, LockCall call) {
		Object value = Methods.unboxed(ObjectUtils.unwrapOptional(evaluate(call)));
		List<String> keys;
		if (value instanceof Collection<?> collection) {
			keys = collection.stream().map(this::key).toList();
		}
		else {
			keys = (value instanceof Object[] array) ? Arrays.stream(array).map(this::key).toList()
					: List.of(key(value));
		}
		try {
			return prototype.keys(keys);
		}
		catch (IllegalArgumentException ex) {
			throw failure("evaluated to what cannot be locked (%s)".formatted(ex.getMessage()), ex);
		}
	}

	private String key(@Nullable Object value) {
		Object element = Methods.unboxed(ObjectUtils.unwrapOptional(value));
		if (element == null || element instanceof Collection) {
			throw failure("evaluated to " + ((element != null) ? "a nested collection" : "null"), null);
		}
		return text(element);
	}

	private String text(Object value) {
		String text = (value instanceof byte[] bytes) ? HexFormat.of().formatHex(bytes) : value.toString();
		if (value instanceof LockCall || isIdentity(text, value)) {
			throw failure(
					"evaluated to the identity of an object, '%s', which equal objects do not share: use one of its properties, or '.![#this]' for a key for each element of an array"
						.formatted(text),
					null);
		}
		return text;
	}

	// What a type without a toString() of its own returns. The hash code of a URL takes a
	// look-up of its host: it is asked for only where it may be in the text
	private static boolean isIdentity(String text, Object value) {
		Object target = AopProxyUtils.getSingletonTarget(value);
		if (target != null) {
			return isIdentity(text, target);
		}
		String beginning = value.getClass().getName() + "@";
		return text.startsWith(beginning) && text.equals(beginning + Integer.toHexString(value.hashCode()));
	}

	boolean evaluateCondition(LockCall call) {
		Object value = evaluate(call);
		if (value instanceof Boolean condition) {
			return condition;
		}
		throw failure("evaluated to %s, not to true or false".formatted(ClassUtils.getDescriptiveType(value)), null);
	}

	private @Nullable Object evaluate(LockCall call) {
		CallContext context = new CallContext(asWritten(call), this.parameters);
		this.sharedContext.applyDelegatesTo(context);
		if (this.attribute.equals("key")) {
			context.setTypeConverter(this.converter);
		}
		try {
			return this.expression.getValue(context);
		}
		catch (EvaluationException ex) {
			throw failure("cannot be evaluated (%s%s)".formatted(remark(ex), ex.getMessage()), ex);
		}
	}

	// A name alone is looked for in the call
	private static String remark(EvaluationException failure) {
		@Nullable Object[] names = (failure instanceof SpelEvaluationException unreadable
				&& unreadable.getMessageCode() == SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE) ? unreadable.getInserts()
						: null;
		return (names != null && LockCall.class.getName().equals(names[1]))
				? "a constant must be quoted: '%1$s', a parameter is #%1$s; ".formatted(names[0]) : "";
	}

	// The continuation of a suspend function is another one for each call
	private LockCall asWritten(LockCall call) {
		return (call.args().length > this.parameters.count()) ? new LockCall(call.method(), call.target(),
				call.targetClass(), Arrays.copyOf(call.args(), this.parameters.count())) : call;
	}

	private IllegalArgumentException failure(String problem, @Nullable Throwable cause) {
		return new IllegalArgumentException("The %s of @DistributedLock on %s %s: %s".formatted(this.attribute,
				Methods.nameOf(this.method), problem, this.expression.getExpressionString()), cause);
	}

	/**
	 * Refuses in a concatenation what is refused as a key.
	 */
	private final class ConverterForKeys extends StandardTypeConverter {

		@Override
		public boolean canConvert(@Nullable TypeDescriptor source, TypeDescriptor target) {
			return target.getType() == String.class || super.canConvert(source, target);
		}

		@Override
		public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor source,
				TypeDescriptor target) {
			boolean text = value instanceof byte[] || !super.canConvert(source, target);
			return (value != null && text && target.getType() == String.class) ? text(value)
					: super.convertValue(value, source, target);
		}

	}

	private static final class CallContext extends StandardEvaluationContext {

		private final @Nullable Object[] args;

		private final Parameters parameters;

		CallContext(LockCall call, Parameters parameters) {
			super(call);
			this.args = call.args();
			this.parameters = parameters;
		}

		@Override
		public @Nullable Object lookupVariable(String name) {
			Integer position = this.parameters.position(name);
			return (position != null) ? Methods.unboxed(this.args[position]) : super.lookupVariable(name);
		}

	}

}
