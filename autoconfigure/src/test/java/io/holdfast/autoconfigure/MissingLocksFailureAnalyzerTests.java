package io.holdfast.autoconfigure;

import java.util.Map;

import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import io.holdfast.ReactiveLockTemplate;
import io.holdfast.integration.IntegrationLockRegistry;
import io.holdfast.shedlock.HoldfastLockProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * What the user is told who injects locks where they are switched off.
 */
@Tag("any-jdk")
class MissingLocksFailureAnalyzerTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class));

	private static MissingLocksFailureAnalyzer analyzer(@Nullable String enabled) {
		return new MissingLocksFailureAnalyzer(new StaticListableBeanFactory(), environment(enabled));
	}

	private static MockEnvironment environment(@Nullable String enabled) {
		MockEnvironment environment = new MockEnvironment();
		return (enabled != null) ? environment.withProperty("holdfast.enabled", enabled) : environment;
	}

	@ParameterizedTest
	@ValueSource(classes = { TemplateUser.class, ReactiveUser.class, RegistryUser.class, IntegrationUser.class,
			ShedLockUser.class })
	void propertyIsNamed(Class<?> user) {
		this.runner.withPropertyValues("holdfast.enabled=false").withUserConfiguration(user).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure(), environment("false"));
			assertThat(analysis.getDescription()).contains(user.getName(), "'holdfast.enabled'");
			assertThat(analysis.getAction()).containsPattern("ObjectProvider<\\w*Lock");
		});
	}

	@Test
	void otherBeansAreNotOurs() {
		this.runner.withPropertyValues("holdfast.enabled=false")
			.withUserConfiguration(OtherUser.class)
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(analyzer("false").analyze(context.getStartupFailure())).isNull();
			});
	}

	@Test
	void enabledLocksAreMissingForOtherReasons() {
		new ApplicationContextRunner().withUserConfiguration(TemplateUser.class).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(analyzer("true").analyze(context.getStartupFailure())).isNull();
			assertThat(analyzer(null).analyze(context.getStartupFailure())).isNull();
		});
	}

	record TemplateUser(LockTemplate template) {
	}

	record ReactiveUser(ReactiveLockTemplate template) {
	}

	record RegistryUser(LockRegistry registry) {
	}

	record IntegrationUser(IntegrationLockRegistry registry) {
	}

	record ShedLockUser(HoldfastLockProvider provider) {
	}

	/**
	 * Of a registry of the user, there is none for Spring Integration.
	 */
	@Test
	void registryOfTheUserIsNamed() {
		LockRegistry own = mock(LockRegistry.class);
		this.runner.withConfiguration(AutoConfigurations.of(HoldfastIntegrationAutoConfiguration.class))
			.withUserConfiguration(Leader.class)
			.withBean(LockRegistry.class, () -> own)
			.run((context) -> {
				StaticListableBeanFactory beans = new StaticListableBeanFactory(Map.of("own", own));
				FailureAnalysis analysis = new MissingLocksFailureAnalyzer(beans, environment(null))
					.analyze(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains(Leader.class.getName(), "its own LockRegistry");
			});
	}

	record Leader(org.springframework.integration.support.locks.LockRegistry<?> locks) {
	}

	record OtherUser(StringBuilder other) {
	}

}
