package io.holdfast.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiFunction;

import io.holdfast.DistributedLock;
import io.holdfast.LockRequest;
import io.holdfast.OnFailure;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * Reads annotations, and refuses those that cannot work.
 */
final class LockOperationParser {

	private static final String ANY_KEY = "key";

	private final SpelExpressionParser expressions = new SpelExpressionParser();

	private final StringValueResolver placeholders;

	LockOperationParser(StringValueResolver placeholders) {
		this.placeholders = placeholders;
	}

	LockOperation parse(DistributedLock annotation, Method method) {
		refuseUnsupported(annotation, method);
		LockExpression key = expression(method, "key", annotation.key());
		LockExpression condition = expression(method, "condition", annotation.condition());
		if (key == null && annotation.name().isBlank()) {
			throw new InvalidDistributedLockException(method, "key", "is empty, and there is no name either",
					"Set 'key' to an expression such as \"#order.id\", or 'name' to a fixed name.", null);
		}
		return new LockOperation(key, condition, prototype(annotation, method, key == null));
	}

	private LockRequest prototype(DistributedLock annotation, Method method, boolean nameIsKey) {
		LockRequest request = LockRequest.of(nameIsKey ? annotation.name() : ANY_KEY);
		if (!nameIsKey && !annotation.name().isBlank()) {
			request = request.name(annotation.name());
		}
		request = duration(request, method, "lease", annotation.lease(), LockRequest::lease);
		request = duration(request, method, "waitFor", annotation.waitFor(), LockRequest::waitFor);
		request = duration(request, method, "minHold", annotation.minHold(), LockRequest::minHold);
		request = duration(request, method, "maxHold", annotation.maxHold(), LockRequest::maxHold);
		request = annotation.autoRenew() ? request : request.autoRenew(false);
		request = annotation.fair() ? request.fair() : request;
		return request.mode(annotation.mode());
	}

	private LockRequest duration(LockRequest request, Method method, String attribute, String text,
			BiFunction<LockRequest, Duration, LockRequest> setter) {
		if (text.isBlank()) {
			return request;
		}
		try {
			String resolved = this.placeholders.resolveStringValue(text);
			return StringUtils.hasText(resolved) ? setter.apply(request, DurationStyle.detectAndParse(resolved.trim()))
					: request;
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			throw new InvalidDistributedLockException(method, attribute,
					"is not a usable duration: \"%s\" (%s)".formatted(text, ex.getMessage()),
					"Write '%s' as a duration such as \"30s\", \"PT30S\" or \"${some.property}\".".formatted(attribute),
					ex);
		}
	}

	private @Nullable LockExpression expression(Method method, String attribute, String text) {
		if (text.isBlank()) {
			return null;
		}
		try {
			return new LockExpression(method, attribute, this.expressions.parseExpression(text));
		}
		catch (ParseException ex) {
			throw new InvalidDistributedLockException(method, attribute,
					"is not a valid SpEL expression: \"%s\" (%s)".formatted(text, ex.getMessage()),
					"Correct the expression. Parameters are written as \"#order.id\", literals in quotes as \"'orders'\".",
					ex);
		}
	}

	private static void refuseUnsupported(DistributedLock annotation, Method method) {
		refuse(annotation.onFailure() == OnFailure.SKIP, method, "onFailure");
		refuse(!annotation.fallback().isBlank(), method, "fallback");
		if (isAsynchronous(method.getReturnType())) {
			throw unsupported(method, "key",
					"is on a method that returns before its work is done, which is not supported yet",
					"Lock in the method that does the work.");
		}
	}

	private static boolean isAsynchronous(Class<?> type) {
		return Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	private static void refuse(boolean used, Method method, String attribute) {
		if (used) {
			throw unsupported(method, attribute, "is not supported yet", "Remove '%s'.".formatted(attribute));
		}
	}

	private static InvalidDistributedLockException unsupported(Method method, String attribute, String problem,
			String action) {
		return new InvalidDistributedLockException(method, attribute, problem, action,
				new UnsupportedOperationException(problem));
	}

}
