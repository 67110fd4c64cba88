package io.holdfast.adapters;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastIntegrationAutoConfiguration;
import io.holdfast.integration.IntegrationLockRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.integration.autoconfigure.IntegrationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lock registry beside the beans of Spring Integration and of Spring Boot for it.
 */
@Tag("any-jdk")
class IntegrationWiringTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class, IntegrationAutoConfiguration.class))
		.withPropertyValues("holdfast.store=local");

	private static Set<String> beans(ApplicationContextRunner application) {
		Set<String> names = new LinkedHashSet<>();
		application.run((context) -> names.addAll(Arrays.asList(context.getBeanDefinitionNames())));
		return names;
	}

	@Test
	void addsOneBean() {
		Set<String> others = beans(this.contextRunner);
		Set<String> all = beans(this.contextRunner
			.withConfiguration(AutoConfigurations.of(HoldfastIntegrationAutoConfiguration.class)));
		assertThat(all).containsAll(others);
		all.removeAll(others);
		assertThat(all).containsExactlyInAnyOrder("holdfastIntegrationLockRegistry",
				HoldfastIntegrationAutoConfiguration.class.getName());
		assertThat(others).contains("integrationGlobalProperties", "holdfastLockRegistry");
	}

	@Test
	void isTheRegistryOfItsType() {
		this.contextRunner.withConfiguration(AutoConfigurations.of(HoldfastIntegrationAutoConfiguration.class))
			.run((context) -> assertThat(
					context.getBean(org.springframework.integration.support.locks.LockRegistry.class))
				.isInstanceOf(IntegrationLockRegistry.class));
	}

}
