package io.holdfast.autoconfigure;

import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import io.holdfast.ReactiveLockTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Says why there is nothing to inject that acquires locks, when they are switched off.
 * Comes before Spring Boot's analyzer, which would ask for a bean.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class DisabledLocksFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

	private final Environment environment;

	DisabledLocksFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause,
			@Nullable String description) {
		ResolvableType wanted = cause.getResolvableType();
		if (wanted == null || this.environment.getProperty("holdfast.enabled", Boolean.class, true)
				|| !(isFor(LockTemplate.class, wanted) || isFor(LockRegistry.class, wanted)
						|| isFor(ReactiveLockTemplate.class, wanted))) {
			return null;
		}
		return new FailureAnalysis(
				"%s required a bean of type '%s', but there is none because 'holdfast.enabled' is 'false'."
					.formatted((description != null) ? description : "A component", wanted),
				"Set 'holdfast.enabled' to 'true', inject an ObjectProvider<%s> if the application should run without "
					.formatted(wanted.toClass().getSimpleName())
						+ "locks, or define a bean of that type. In tests, 'holdfast.store=local' locks without Redis.",
				cause);
	}

	private static boolean isFor(Class<?> bean, ResolvableType wanted) {
		return bean.isAssignableFrom(wanted.toClass());
	}

}
