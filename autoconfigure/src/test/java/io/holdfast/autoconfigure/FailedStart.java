package io.holdfast.autoconfigure;

import java.util.concurrent.atomic.AtomicReference;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts of applications with locks in memory, and what becomes of them.
 */
final class FailedStart {

	private FailedStart() {
	}

	static ApplicationContextRunner application(Class<?>... beans) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class,
					PropertyPlaceholderAutoConfiguration.class, HoldfastAutoConfiguration.class))
			.withPropertyValues("holdfast.store=local")
			.withUserConfiguration(beans);
	}

	/**
	 * Return what the user is told when an application with a bean does not start.
	 */
	static FailureAnalysis with(Class<?> bean, String... properties) {
		return of(application(bean).withPropertyValues(properties));
	}

	static FailureAnalysis of(ApplicationContextRunner runner) {
		AtomicReference<FailureAnalysis> analysis = new AtomicReference<>();
		runner.run((context) -> {
			assertThat(context).hasFailed();
			analysis.set(FailureAnalyses.of(context.getStartupFailure()));
		});
		return analysis.get();
	}

}
