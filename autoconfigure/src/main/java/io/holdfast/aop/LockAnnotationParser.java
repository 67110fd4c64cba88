package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import io.holdfast.DistributedLock;
import io.holdfast.LockMode;
import io.holdfast.LockRequest;
import io.holdfast.OnFailure;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

final class LockAnnotationParser {

	private static final String ANY_KEY = "key";

	private final StandardEvaluationContext sharedContext = new StandardEvaluationContext();

	private final TextAttributes texts;

	private final Supplier<LockDefaults> defaults;

	private final OtherApplicationWarning otherApplicationWarning;

	LockAnnotationParser(ConfigurableBeanFactory beanFactory, Supplier<LockDefaults> defaults) {
		this.sharedContext.setBeanResolver(new BeanFactoryResolver(beanFactory));
		this.sharedContext.setTypeLocator(new StandardTypeLocator(beanFactory.getBeanClassLoader()));
		this.defaults = defaults;
		this.otherApplicationWarning = new OtherApplicationWarning(defaults);
		this.texts = new TextAttributes(new EmbeddedValueResolver(beanFactory), defaults);
	}

	LockPlan parse(AnnotatedMethod found) {
		DistributedLock annotation = found.annotation();
		Method method = found.method();
		LockExpression key = expression(method, found.declaration(), "key", annotation.key());
		LockExpression condition = expression(method, found.declaration(), "condition", annotation.condition());
		if (annotation.fair() && key != null && key.isList()) {
			throw new InvalidDistributedLockException(method, "fair",
					"is for one key, and 'key' stands for several: \"%s\"".formatted(annotation.key()),
					"Remove 'fair', or lock something that stands for all of them.", null);
		}
		String name = name(annotation, found, key == null);
		LockRequest prototype = prototype(annotation, found, name, key == null);
		return new LockPlan(key, condition, prototype, onNotAcquired(annotation, method, found.type()),
				onUnavailable(annotation, method, found.type()));
	}

	private static String name(DistributedLock annotation, AnnotatedMethod found, boolean nameIsKey) {
		boolean missing = nameIsKey && annotation.name().isBlank();
		if (missing && !found.isRunOnce()) {
			throw new InvalidDistributedLockException(found.method(), "key", "is empty, and there is no name either",
					"Set 'key' to an expression such as \"#order.id\", or 'name' to a fixed name.", null);
		}
		refuseExpressionAsName(annotation.name(), found.method());
		return missing ? "%s.%s".formatted(Methods.userClass(found.type()).getName(), found.method().getName())
				: annotation.name();
	}

	private @Nullable LockExpression expression(Method method, Method declaration, String attribute, String text) {
		return LockExpression.parse(method, declaration, attribute, text, this.sharedContext);
	}

	// As a name, an expression would mean one lock for all calls
	private static void refuseExpressionAsName(String name, Method method) {
		if (name.startsWith("#") || name.startsWith("@") || name.contains("${") || name.contains("#{")) {
			throw new InvalidDistributedLockException(method, "name",
					"looks like an expression, but a name is not evaluated: \"%s\"".formatted(name),
					"Move the expression to 'key', and set 'name' to a fixed text or remove it.", null);
		}
	}

	private LockRequest prototype(DistributedLock annotation, AnnotatedMethod found, String name, boolean nameIsKey) {
		LockRequest request = LockRequest.of(nameIsKey ? name : ANY_KEY);
		if (!nameIsKey && !name.isBlank()) {
			request = request.name(name);
		}
		request = annotation.autoRenew() ? request : request.autoRenew(false);
		request = annotation.fair() ? request.fair() : request;
		request = this.texts.apply(annotation, found, withMode(request, annotation, found.method()));
		if (request.permits() > 0 && !TextAttributes.isProcessedAheadOfTime() && !this.defaults.get().permits()) {
			throw refusedPermits(found.method(),
					"cannot be combined with independent masters, which could let in too many",
					"Remove 'permits' from the annotation, or 'holdfast.redis.nodes'.");
		}
		return request;
	}

	private static LockRequest withMode(LockRequest request, DistributedLock annotation, Method method) {
		int permits = annotation.permits();
		if (permits < 0) {
			throw refusedPermits(method, "must not be negative: %d".formatted(permits),
					"Set 'permits' to the greatest number of holders, or remove it.");
		}
		if (permits > 0 && !annotation.permitsString().isBlank()) {
			throw refusedPermits(method, "is set, and so is 'permitsString'",
					"Set only one of them: they mean the same.");
		}
		if (permits > 0) {
			return request.permits(permits);
		}
		return (annotation.mode() == LockMode.SHARED) ? request.shared() : request;
	}

	private static InvalidDistributedLockException refusedPermits(Method method, String problem, String action) {
		return new InvalidDistributedLockException(method, "permits", problem, action, null);
	}

	private FailureReaction onNotAcquired(DistributedLock annotation, Method method, Class<?> targetClass) {
		boolean skip = annotation.onFailure() == OnFailure.SKIP;
		if (annotation.fallback().isBlank()) {
			return skip ? Skip.of(method, targetClass, this.otherApplicationWarning) : FailureReaction.RETHROW;
		}
		if (skip) {
			throw new InvalidDistributedLockException(method, "fallback",
					"cannot be combined with onFailure = SKIP: \"%s\"".formatted(annotation.fallback()),
					"Remove one of the two.", null);
		}
		return Fallback.find(annotation.fallback().trim(), method, targetClass);
	}

	private FailureReaction onUnavailable(DistributedLock annotation, Method method, Class<?> targetClass) {
		FailureReaction fallback = annotation.fallback().isBlank() ? null
				: Fallback.ofAnyFailure(annotation.fallback().trim(), method, targetClass);
		if (fallback != null) {
			return fallback;
		}
		boolean skip = annotation.onUnavailable() == OnFailure.SKIP;
		return skip ? Skip.of(method, targetClass, this.otherApplicationWarning) : FailureReaction.RETHROW;
	}

}
