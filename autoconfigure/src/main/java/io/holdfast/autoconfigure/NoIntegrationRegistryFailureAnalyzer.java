package io.holdfast.autoconfigure;

import java.util.List;

import io.holdfast.LockRegistry;
import io.holdfast.engine.HoldfastLockRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;

/**
 * Says why there is no registry for Spring Integration beside a user's own
 * {@link LockRegistry}: its views do not tell a thread that it has lost a lock before it
 * acquires that again, and a leader would remain one. Comes before Spring Boot's
 * analyzer.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class NoIntegrationRegistryFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

	// Spring Integration need not be on the class path
	private static final List<String> REGISTRIES = List.of("io.holdfast.integration.IntegrationLockRegistry",
			"org.springframework.integration.support.locks.LockRegistry");

	private final BeanFactory beanFactory;

	NoIntegrationRegistryFailureAnalyzer(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause,
			@Nullable String description) {
		ResolvableType wanted = cause.getResolvableType();
		if (wanted == null || !REGISTRIES.contains(wanted.toClass().getName()) || !has(LockRegistry.class)
				|| has(HoldfastLockRegistry.class)) {
			return null;
		}
		return new FailureAnalysis(
				"%s required a bean of type '%s', which Holdfast has only for its own LockRegistry, and the application defines another one."
					.formatted((description != null) ? description : "A component", wanted),
				"Define a bean of that type, or leave the LockRegistry to Holdfast.", cause);
	}

	private boolean has(Class<?> type) {
		return this.beanFactory instanceof ListableBeanFactory beans
				&& beans.getBeanNamesForType(type, true, false).length > 0;
	}

}
