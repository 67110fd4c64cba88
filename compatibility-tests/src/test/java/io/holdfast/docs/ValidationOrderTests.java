package io.holdfast.docs;

import io.holdfast.DistributedLock;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks and {@code @Validated}.
 */
@Tag("any-jdk")
class ValidationOrderTests {

	private final ApplicationContextRunner contextRunner = OneApplication.with(Orders.class)
		.withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class));

	@Test
	void argumentsAreValidatedBeforeTheKeyIsEvaluated() {
		this.contextRunner.run((context) -> {
			assertThatExceptionOfType(ConstraintViolationException.class)
				.isThrownBy(() -> context.getBean(Orders.class).ship(null));
			assertThat(context.getBean(Locking.class).acquired()).isEmpty();
		});
	}

	@Test
	void argumentsAreValidatedFirstWhateverTheOrderOfTheLock() {
		this.contextRunner.withPropertyValues("holdfast.aspect.order=0")
			.run((context) -> assertThatExceptionOfType(ConstraintViolationException.class)
				.isThrownBy(() -> context.getBean(Orders.class).ship(null)));
	}

	@Test
	void resultIsValidatedAfterTheRelease() {
		this.contextRunner.run((context) -> {
			assertThatExceptionOfType(ConstraintViolationException.class)
				.isThrownBy(() -> context.getBean(Orders.class).count("1"));
			assertThat(context.getBean(Locking.class).acquired()).containsExactly("order:1");
			assertThat(context.getBean(Locking.class).isFree("order:1")).isTrue();
		});
	}

	@Validated
	static class Orders {

		@DistributedLock(name = "order", key = "#id")
		public void ship(@NotNull @Nullable String id) {
		}

		@DistributedLock(name = "order", key = "#id")
		public @Positive int count(String id) {
			return -1;
		}

	}

}
