package io.holdfast.autoconfigure;

import io.holdfast.LockHandle;
import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import io.holdfast.actuate.LocksEndpoint;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.engine.LockStore.Subscription;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * When there is an endpoint, and what comes with it.
 */
class HoldfastEndpointAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(EndpointAutoConfiguration.class, HoldfastAutoConfiguration.class,
				HoldfastEndpointAutoConfiguration.class))
		.withPropertyValues("holdfast.store=local");

	private ApplicationContextRunner exposed() {
		return this.contextRunner.withPropertyValues("management.endpoints.web.exposure.include=locks");
	}

	@Test
	void nothingIsThereUnlessItIsExposed() {
		this.contextRunner.run(this::assertNothing);
	}

	@Test
	void isNotThereForJmx() {
		this.contextRunner
			.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=locks")
			.run(this::assertNothing);
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.endpoint.locks.access=NONE", "holdfast.enabled=false" })
	void canBeSwitchedOff(String property) {
		exposed().withPropertyValues(property).run(this::assertNothing);
	}

	@Test
	void actuatorIsOptional() {
		exposed().withClassLoader(new FilteredClassLoader(Endpoint.class, ConditionalOnAvailableEndpoint.class))
			.run((context) -> {
				assertThat(context).hasSingleBean(HoldfastLockRegistry.class);
				assertNothing(context);
			});
	}

	@Test
	void registryOfTheUsersOwnIsNotShown() {
		exposed().withBean(LockRegistry.class, () -> mock(LockRegistry.class)).run(this::assertNothing);
	}

	@Test
	void instanceListensFromItsFirstLockOn() {
		this.contextRunner.run((context) -> {
			assertThat(subscription(context)).isEqualTo(Subscription.IDLE);
			LockHandle lock = context.getBean(LockTemplate.class).acquire("k");
			await().until(() -> subscription(context) == Subscription.ACTIVE);
			lock.release();
		});
	}

	private static Subscription subscription(ApplicationContext context) {
		return context.getBean(HoldfastLockRegistry.class).status().subscription();
	}

	private void assertNothing(ApplicationContext context) {
		assertThat(context.getBeansOfType(LocksEndpoint.class)).isEmpty();
	}

}
