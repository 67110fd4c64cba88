package io.holdfast.autoconfigure;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.integration.IntegrationLockRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.ResolvableType;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Spring Integration's lock registry in an application.
 */
@Tag("any-jdk")
class HoldfastIntegrationAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(HoldfastAutoConfiguration.class, HoldfastIntegrationAutoConfiguration.class))
		.withPropertyValues("holdfast.store=local", "holdfast.lease=7m");

	@Test
	void locksAndRenewsAsConfigured() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(LockRegistry.class).hasBean("holdfastIntegrationLockRegistry");
			IntegrationLockRegistry registry = context.getBean(IntegrationLockRegistry.class);
			registry.obtain("k").lock(Duration.ofMinutes(1));
			registry.renewLock("k");
			assertThat(context.getBean(io.holdfast.LockRegistry.class).held()).singleElement()
				.satisfies((lock) -> assertThat(lock.remainingLease()).isGreaterThan(Duration.ofMinutes(6)));
		});
	}

	@Test
	void stepsAsideForARegistryOfTheUser() {
		this.contextRunner.withBean(DefaultLockRegistry.class)
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
				.hasSingleBean(DefaultLockRegistry.class)
				.hasSingleBean(io.holdfast.LockRegistry.class));
	}

	@Test
	void isFoundByWhatItsLocksAre() {
		ResolvableType distributed = ResolvableType.forClassWithGenerics(LockRegistry.class, DistributedLock.class);
		this.contextRunner.run((context) -> assertThat(context.getBeanProvider(distributed).getIfUnique()).isNotNull());
	}

	@Test
	void isNotThereBesideLocksOfTheUser() {
		for (boolean enabled : new boolean[] { true, false }) {
			this.contextRunner.withPropertyValues("holdfast.enabled=" + enabled)
				.withBean(io.holdfast.LockRegistry.class, () -> mock(io.holdfast.LockRegistry.class))
				.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockRegistry.class));
		}
	}

	@Test
	void startupSaysWhyItIsNotThereBesideLocksOfTheUser() {
		FailureAnalysis analysis = analysisOf(this.contextRunner.withBean(io.holdfast.LockRegistry.class,
				() -> mock(io.holdfast.LockRegistry.class)));
		assertThat(analysis.getDescription()).contains("constructor in " + Leader.class.getName())
			.endsWith("only for its own LockRegistry, and the application defines another one.");
		assertThat(analysisOf(this.contextRunner.withPropertyValues("holdfast.enabled=false")).getDescription())
			.endsWith("'holdfast.enabled' is 'false'.");
	}

	private static @Nullable FailureAnalysis analysisOf(ApplicationContextRunner runner) {
		AtomicReference<MissingLocksFailureAnalyzer> analyzer = new AtomicReference<>();
		AtomicReference<FailureAnalysis> analysis = new AtomicReference<>();
		runner.withUserConfiguration(Leader.class)
			.withInitializer((context) -> analyzer
				.set(new MissingLocksFailureAnalyzer(context.getBeanFactory(), context.getEnvironment())))
			.run((context) -> analysis.set(analyzer.get().analyze(context.getStartupFailure())));
		return analysis.get();
	}

	@Test
	void isNotThereWithoutLocksOrSpringIntegration() {
		this.contextRunner.withPropertyValues("holdfast.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockRegistry.class));
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.integration"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("holdfastIntegrationLockRegistry")
				.hasSingleBean(io.holdfast.LockRegistry.class));
	}

	static class Leader {

		Leader(LockRegistry<?> locks) {
		}

	}

}
