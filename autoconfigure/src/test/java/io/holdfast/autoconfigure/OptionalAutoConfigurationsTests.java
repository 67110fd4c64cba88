package io.holdfast.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import io.holdfast.ReactiveLockTemplate;
import io.holdfast.actuate.LocksEndpoint;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.integration.IntegrationLockRegistry;
import io.holdfast.shedlock.HoldfastLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.ResolvableType;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * What Holdfast adds where other libraries are.
 */
@Tag("any-jdk")
class OptionalAutoConfigurationsTests {

	/**
	 * Locks are renewed when a third of it is over; what is left then is longer than a
	 * busy machine may stand still.
	 */
	private static final Duration PATIENT = Duration.ofSeconds(6);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(EndpointAutoConfiguration.class, HoldfastAutoConfiguration.class,
				HoldfastReactiveAutoConfiguration.class, HoldfastIntegrationAutoConfiguration.class,
				HoldfastShedLockAutoConfiguration.class, HoldfastEndpointAutoConfiguration.class))
		.withPropertyValues("holdfast.store=local", "holdfast.lease=7m", "holdfast.key-prefix=" + getClass().getName(),
				"management.endpoints.web.exposure.include=locks");

	static Stream<Arguments> additions() {
		return Stream.of(Arguments.of(ReactiveLockTemplate.class, "reactor.core"),
				Arguments.of(IntegrationLockRegistry.class, "org.springframework.integration"),
				Arguments.of(HoldfastLockProvider.class, "net.javacrumbs.shedlock"), Arguments.of(LocksEndpoint.class,
						Endpoint.class.getName() + " " + ConditionalOnAvailableEndpoint.class.getName()));
	}

	@ParameterizedTest
	@MethodSource("additions")
	void areThereUnlessLocksOrTheirLibraryAreMissing(Class<?> type, String library) {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(type));
		this.contextRunner.withPropertyValues("holdfast.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(type));
		this.contextRunner.withClassLoader(new FilteredClassLoader(library.split(" ")))
			.run((context) -> assertThat(context).hasSingleBean(LockTemplate.class).doesNotHaveBean(type));
	}

	@Test
	void stepAsideForBeansOfTheUser() {
		this.contextRunner.withBean(DefaultLockRegistry.class)
			.withBean(LockProvider.class, () -> (configuration) -> Optional.empty())
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IntegrationLockRegistry.class)
				.doesNotHaveBean(HoldfastLockProvider.class));
	}

	/**
	 * Its views do not tell a thread that it has lost a lock before it acquires that
	 * again.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void registryOfTheUserHasNeitherEndpointNorOneForSpringIntegration(boolean enabled) {
		this.contextRunner.withPropertyValues("holdfast.enabled=" + enabled)
			.withBean(LockRegistry.class, () -> mock(LockRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IntegrationLockRegistry.class)
				.doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void reactiveTemplateIsThereForTheTemplateOfTheUserUnlessThereAreSeveral() {
		ApplicationContextRunner ofUser = this.contextRunner.withBean("one", LockTemplate.class,
				() -> new LockTemplate(mock(LockRegistry.class)));
		ofUser.run((context) -> assertThat(context).hasSingleBean(ReactiveLockTemplate.class));
		ofUser.withBean("two", LockTemplate.class, () -> new LockTemplate(mock(LockRegistry.class)))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ReactiveLockTemplate.class));
	}

	@Test
	void registryForSpringIntegrationIsFoundByWhatItsLocksAreAndRenewsAsConfigured() {
		ResolvableType distributed = ResolvableType.forClassWithGenerics(
				org.springframework.integration.support.locks.LockRegistry.class, DistributedLock.class);
		this.contextRunner.run((context) -> {
			assertThat(context.getBeanProvider(distributed).getIfUnique()).isNotNull();
			IntegrationLockRegistry registry = context.getBean(IntegrationLockRegistry.class);
			registry.obtain("k").lock(Duration.ofMinutes(1));
			registry.renewLock("k");
			assertThat(context.getBean(LockRegistry.class).held()).singleElement()
				.satisfies((lock) -> assertThat(lock.remainingLease()).isGreaterThan(Duration.ofMinutes(6)));
		});
	}

	@Test
	void providerOfShedLockRenewsIfAsked() {
		this.contextRunner.run((context) -> {
			lock(context.getBean(HoldfastLockProvider.class), Duration.ofMillis(300));
			await().until(() -> context.getBean(LockRegistry.class).held().isEmpty());
		});
		this.contextRunner.withPropertyValues("holdfast.shedlock.renew=true").run((context) -> {
			lock(context.getBean(HoldfastLockProvider.class), PATIENT);
			await().until(() -> context.getBean(HoldfastLockRegistry.class).status().lastRenewal() != null);
			assertThat(context.getBean(LockRegistry.class).held()).hasSize(1);
		});
	}

	private static void lock(HoldfastLockProvider provider, Duration atMost) {
		assertThat(provider.lock(new LockConfiguration(Instant.now(), "report", atMost, Duration.ZERO))).isPresent();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "management.endpoints.web.exposure.include=health", "management.endpoint.locks.access=NONE" })
	void endpointIsThereOnlyForWhomItIsExposed(String property) {
		this.contextRunner
			.withPropertyValues(property, "spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=locks")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
	}

}
