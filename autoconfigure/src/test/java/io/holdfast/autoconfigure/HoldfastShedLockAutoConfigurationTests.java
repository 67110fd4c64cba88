package io.holdfast.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.holdfast.LockRegistry;
import io.holdfast.engine.HoldfastLockRegistry;
import io.holdfast.shedlock.HoldfastLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * ShedLock's lock provider in an application.
 */
@Tag("any-jdk")
class HoldfastShedLockAutoConfigurationTests {

	private static final Duration SHORT = Duration.ofMillis(300);

	/**
	 * After a third of it, it is renewed; what is left then is longer than a busy machine
	 * may stand still.
	 */
	private static final Duration PATIENT = Duration.ofSeconds(6);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(HoldfastAutoConfiguration.class, HoldfastShedLockAutoConfiguration.class))
		.withPropertyValues("holdfast.store=local");

	private static void acquire(HoldfastLockProvider provider, Duration atMost) {
		assertThat(provider.lock(new LockConfiguration(Instant.now(), "report", atMost, Duration.ZERO))).isPresent();
	}

	@Test
	void doesNotRenewByDefault() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(LockProvider.class).hasBean("holdfastLockProvider");
			acquire(context.getBean(HoldfastLockProvider.class), SHORT);
			await().until(() -> context.getBean(LockRegistry.class).held().isEmpty());
		});
	}

	@Test
	void renewsIfAsked() {
		this.contextRunner.withPropertyValues("holdfast.shedlock.renew=true").run((context) -> {
			acquire(context.getBean(HoldfastLockProvider.class), PATIENT);
			await().until(() -> context.getBean(HoldfastLockRegistry.class).status().lastRenewal() != null);
			assertThat(context.getBean(LockRegistry.class).held()).hasSize(1);
		});
	}

	@Test
	void stepsAsideForAProviderOfTheUser() {
		this.contextRunner.withBean("theirs", LockProvider.class, () -> (configuration) -> Optional.empty())
			.run((context) -> assertThat(context).hasSingleBean(LockProvider.class).hasBean("theirs"));
	}

	@Test
	void isNotThereWithoutLocksOrShedLock() {
		this.contextRunner.withPropertyValues("holdfast.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockProvider.class));
		this.contextRunner.withClassLoader(new FilteredClassLoader("net.javacrumbs.shedlock"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("holdfastLockProvider")
				.hasSingleBean(LockRegistry.class));
	}

}
