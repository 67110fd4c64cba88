package io.holdfast.autoconfigure;

import java.time.Duration;

import io.holdfast.LockRegistry;
import io.holdfast.LockTemplate;
import io.holdfast.ReactiveLockTemplate;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * The template for reactive code.
 */
class HoldfastReactiveAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(HoldfastAutoConfiguration.class, HoldfastReactiveAutoConfiguration.class))
		.withPropertyValues("holdfast.store=local");

	@Test
	void locksWithTheRegistryOfTheApplication() {
		this.contextRunner
			.run((context) -> assertThat(context.getBean("holdfastReactiveLockTemplate", ReactiveLockTemplate.class)
				.execute("k", (lock) -> Mono.just(context.getBean(LockRegistry.class).held().size()))
				.block(Duration.ofSeconds(30))).isOne());
	}

	@Test
	void isThereForTheTemplateOfTheUserUnlessThereAreSeveral() {
		ApplicationContextRunner ofUser = this.contextRunner.withBean("one", LockTemplate.class,
				() -> new LockTemplate(mock(LockRegistry.class)));
		ofUser.run((context) -> assertThat(context).hasSingleBean(ReactiveLockTemplate.class));
		ofUser.withBean("two", LockTemplate.class, () -> new LockTemplate(mock(LockRegistry.class)))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ReactiveLockTemplate.class));
	}

	@Test
	void isNotThereWithoutReactorOrLocks() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("reactor.core"))
			.run((context) -> assertThat(context).hasSingleBean(LockTemplate.class)
				.doesNotHaveBean("holdfastReactiveLockTemplate"));
		this.contextRunner.withPropertyValues("holdfast.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(ReactiveLockTemplate.class));
	}

}
