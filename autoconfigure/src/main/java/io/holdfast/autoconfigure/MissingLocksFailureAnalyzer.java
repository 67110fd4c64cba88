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
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Says why a bean that acquires locks is missing: locks are switched off, or the user has
 * a {@link LockRegistry}, which Spring Integration cannot use. With the views of that, a
 * leader that has lost its lock could acquire it again without learning of the loss.
 * Comes before Spring Boot's analyzer, which would ask for a bean.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class MissingLocksFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

	// By their names: libraries need not be on the class path
	private static final List<String> OF_INTEGRATION = List.of("io.holdfast.integration.IntegrationLockRegistry",
			"org.springframework.integration.support.locks.LockRegistry");

	private static final List<String> OTHERS = List.of("io.holdfast.LockTemplate", "io.holdfast.LockRegistry",
			"io.holdfast.ReactiveLockTemplate", "io.holdfast.engine.HoldfastLockRegistry",
			"io.holdfast.shedlock.HoldfastLockProvider", "net.javacrumbs.shedlock.core.LockProvider");

	private final BeanFactory beanFactory;

	private final Environment environment;

	MissingLocksFailureAnalyzer(BeanFactory beanFactory, Environment environment) {
		this.beanFactory = beanFactory;
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause,
			@Nullable String description) {
		ResolvableType wanted = cause.getResolvableType();
		String type = (wanted != null) ? wanted.toClass().getName() : "";
		boolean ofIntegration = OF_INTEGRATION.contains(type);
		String required = "%s required a bean of type '%s', "
			.formatted((description != null) ? description : "A component", wanted);
		if (ofIntegration && has(LockRegistry.class) && !has(HoldfastLockRegistry.class)) {
			return new FailureAnalysis(required
					+ "which Holdfast has only for its own LockRegistry, and the application defines another one.",
					"Define a bean of that type, or leave the LockRegistry to Holdfast.", cause);
		}
		if ((ofIntegration || OTHERS.contains(type)) && !isEnabled()) {
			return new FailureAnalysis(required + "but there is none because 'holdfast.enabled' is 'false'.",
					"Set 'holdfast.enabled' to 'true', inject an ObjectProvider<%s> if the application should run without "
						.formatted(ClassUtils.getShortName(type))
							+ "locks, or define a bean of that type. In tests, 'holdfast.store=local' locks without Redis.",
					cause);
		}
		return null;
	}

	private boolean isEnabled() {
		return this.environment.getProperty(HoldfastProperties.ENABLED, Boolean.class, true);
	}

	private boolean has(Class<?> type) {
		return this.beanFactory instanceof ListableBeanFactory beans
				&& beans.getBeanNamesForType(type, true, false).length > 0;
	}

}
