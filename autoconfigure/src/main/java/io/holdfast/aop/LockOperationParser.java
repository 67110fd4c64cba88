package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import io.holdfast.DistributedLock;
import io.holdfast.LockRequest;

import org.springframework.util.StringValueResolver;

/**
 * Reads annotations, and refuses those that cannot work.
 */
final class LockOperationParser {

	private static final String ANY_KEY = "key";

	private final LockExpressions expressions = new LockExpressions();

	private final LockDurations durations;

	private final HoldCheck holdCheck;

	/**
	 * Create a parser.
	 * @param placeholders resolves placeholders in durations
	 * @param defaults what annotations leave open; asked for when it is needed
	 */
	LockOperationParser(StringValueResolver placeholders, Supplier<LockDefaults> defaults) {
		this.durations = new LockDurations(placeholders);
		this.holdCheck = new HoldCheck(defaults);
	}

	/**
	 * Return what an annotation asks for.
	 * @param method the method it stands for, as its class declares it
	 * @param targetClass the class of the objects the method is called on
	 * @throws InvalidDistributedLockException when it cannot work
	 */
	LockOperation parse(DistributedLock annotation, Method method, Class<?> targetClass) {
		LockExpression key = this.expressions.parse(method, "key", annotation.key());
		LockExpression condition = this.expressions.parse(method, "condition", annotation.condition());
		if (key == null && annotation.name().isBlank()) {
			throw new InvalidDistributedLockException(method, "key", "is empty, and there is no name either",
					"Set 'key' to an expression such as \"#order.id\", or 'name' to a fixed name.", null);
		}
		refuseExpressionAsName(annotation.name(), method);
		LockRequest prototype = prototype(annotation, method, key == null);
		this.holdCheck.check(prototype, method);
		return new LockOperation(key, condition, prototype, Reactions.of(annotation, method, targetClass));
	}

	/**
	 * All calls would have one lock, where each was to have its own.
	 */
	private static void refuseExpressionAsName(String name, Method method) {
		if (name.startsWith("#") || name.startsWith("@") || name.contains("${") || name.contains("#{")) {
			throw new InvalidDistributedLockException(method, "name",
					"looks like an expression, and is taken as it stands: \"%s\"".formatted(name),
					"Put the expression into 'key', and give a fixed 'name' or none.", null);
		}
	}

	private LockRequest prototype(DistributedLock annotation, Method method, boolean nameIsKey) {
		LockRequest request = LockRequest.of(nameIsKey ? annotation.name() : ANY_KEY);
		if (!nameIsKey && !annotation.name().isBlank()) {
			request = request.name(annotation.name());
		}
		request = this.durations.set(request, method, "lease", annotation.lease(), LockRequest::lease);
		request = this.durations.set(request, method, "waitFor", annotation.waitFor(), LockRequest::waitFor);
		request = this.durations.set(request, method, "minHold", annotation.minHold(), LockRequest::minHold);
		request = this.durations.set(request, method, "maxHold", annotation.maxHold(), LockRequest::maxHold);
		request = annotation.autoRenew() ? request : request.autoRenew(false);
		request = annotation.fair() ? request.fair() : request;
		return request.mode(annotation.mode());
	}

}
