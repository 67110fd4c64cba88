package io.holdfast.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;
import java.util.regex.Pattern;

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

	private static final Pattern EXPRESSION = Pattern.compile("^[#@]|[$#]\\{|#\\p{IsAlphabetic}");

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
		LockExpression key = expression(found, "key", annotation.key());
		LockExpression condition = expression(found, "condition", annotation.condition());
		if (annotation.fair() && key != null && key.isList()) {
			throw new InvalidDistributedLockException(found.method(), "fair",
					"is for one key, and 'key' stands for several: \"%s\"".formatted(annotation.key()),
					"Remove 'fair', or lock something that stands for all of them.", null);
		}
		return new LockPlan(key, condition, prototype(found, key == null), onNotAcquired(found), onUnavailable(found));
	}

	private static String name(AnnotatedMethod found, boolean nameIsKey) {
		String name = found.annotation().name();
		boolean missing = nameIsKey && name.isBlank();
		if (missing && !found.isRunOnce()) {
			throw new InvalidDistributedLockException(found.method(), "key", "is empty, and there is no name either",
					"Set 'key' to an expression such as \"#order.id\", or 'name' to a fixed name.", null);
		}
		refuseExpressionAsName(name, found.method());
		return missing ? "%s.%s".formatted(Methods.userClass(found.type()).getName(), found.method().getName()) : name;
	}

	private @Nullable LockExpression expression(AnnotatedMethod found, String attribute, String text) {
		return LockExpression.parse(found.method(), found.declaration(), attribute, text, this.sharedContext);
	}

	// As a name, an expression would mean one lock for all calls
	private static void refuseExpressionAsName(String name, Method method) {
		if (EXPRESSION.matcher(name).find()) {
			throw new InvalidDistributedLockException(method, "name",
					"looks like an expression, but a name is not evaluated: \"%s\"".formatted(name),
					"Move the expression to 'key', and set 'name' to a fixed text or remove it.", null);
		}
	}

	private LockRequest prototype(AnnotatedMethod found, boolean nameIsKey) {
		DistributedLock annotation = found.annotation();
		String name = name(found, nameIsKey);
		LockRequest request = LockRequest.of(nameIsKey ? name : ANY_KEY);
		if (!nameIsKey && !name.isBlank()) {
			request = request.name(name);
		}
		request = annotation.autoRenew() ? request : request.autoRenew(false);
		request = annotation.fair() ? request.fair() : request;
		request = this.texts.apply(found, withMode(request, found));
		if (request.permits() > 0 && !TextAttributes.isProcessedAheadOfTime() && !this.defaults.get().permits()) {
			throw refusedPermits(found, "cannot be combined with independent masters, which could let in too many",
					"Remove 'permits' from the annotation, or 'holdfast.redis.nodes'.");
		}
		return request;
	}

	private static LockRequest withMode(LockRequest request, AnnotatedMethod found) {
		DistributedLock annotation = found.annotation();
		int permits = annotation.permits();
		if (permits < 0) {
			throw refusedPermits(found, "must not be negative: %d".formatted(permits),
					"Set 'permits' to the greatest number of holders, or remove it.");
		}
		if (permits > 0 && !annotation.permitsString().isBlank()) {
			throw refusedPermits(found, "is set, and so is 'permitsString'",
					"Set only one of them: they mean the same.");
		}
		if (permits > 0) {
			return request.permits(permits);
		}
		return (annotation.mode() == LockMode.SHARED) ? request.shared() : request;
	}

	private static InvalidDistributedLockException refusedPermits(AnnotatedMethod found, String problem,
			String action) {
		return new InvalidDistributedLockException(found.method(), "permits", problem, action, null);
	}

	private FailureReaction onNotAcquired(AnnotatedMethod found) {
		DistributedLock annotation = found.annotation();
		if (annotation.fallback().isBlank()) {
			return withoutFallback(found, annotation.onFailure());
		}
		if (annotation.onFailure() == OnFailure.SKIP) {
			throw new InvalidDistributedLockException(found.method(), "fallback",
					"cannot be combined with onFailure = SKIP: \"%s\"".formatted(annotation.fallback()),
					"Remove one of the two.", null);
		}
		return Fallback.find(annotation.fallback().trim(), found.method(), found.type());
	}

	private FailureReaction onUnavailable(AnnotatedMethod found) {
		DistributedLock annotation = found.annotation();
		FailureReaction fallback = annotation.fallback().isBlank() ? null
				: Fallback.ofAnyFailure(annotation.fallback().trim(), found.method(), found.type());
		return (fallback != null) ? fallback : withoutFallback(found, annotation.onUnavailable());
	}

	private FailureReaction withoutFallback(AnnotatedMethod found, OnFailure reaction) {
		return (reaction == OnFailure.SKIP) ? Skip.of(found.method(), found.type(), this.otherApplicationWarning)
				: FailureReaction.RETHROW;
	}

}
