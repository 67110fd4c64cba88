package io.holdfast.autoconfigure;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.holdfast.aop.LocalApplication;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What Spring Boot tells of a failed start.
 */
public final class FailureAnalyses {

	private FailureAnalyses() {
	}

	/**
	 * Return what the first analyzer says that can say anything.
	 */
	public static FailureAnalysis of(Throwable failure) {
		return of(failure, new MockEnvironment());
	}

	static FailureAnalysis of(Throwable failure, Environment environment) {
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, ArgumentResolver.of(Environment.class, environment)
				.and(BeanFactory.class, new StaticListableBeanFactory()), (type, name, ex) -> {
				})
			.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElseThrow(() -> new AssertionError("Nobody can say what went wrong", failure));
	}

	/**
	 * Return what the user is told when an application does not start.
	 */
	public static FailureAnalysis of(ApplicationContextRunner runner) {
		AtomicReference<FailureAnalysis> analysis = new AtomicReference<>();
		runner.run((context) -> {
			assertThat(context).hasFailed();
			analysis.set(of(context.getStartupFailure()));
		});
		return analysis.get();
	}

	static FailureAnalysis ofStartWith(Class<?> bean, String... properties) {
		return of(LocalApplication.with(bean).withPropertyValues(properties));
	}

	public static void assertThatStartFails(ApplicationContextRunner runner, Consumer<FailureAnalysis> check) {
		check.accept(of(runner));
	}

}
