package io.holdfast.docs;

import io.holdfast.DistributedLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application whose locks are switched off.
 */
@Tag("any-jdk")
class WithoutLocksTests {

	@Test
	void methodsRunAndAnnotationsAreNotChecked() {
		new ApplicationContextRunner().withUserConfiguration(GuideApplication.class, Misspelt.class)
			.withPropertyValues("holdfast.enabled=false")
			.run((context) -> assertThat(context.getBean(Misspelt.class).ship(new Order("42"))).isEqualTo("42"));
	}

	static class Misspelt {

		@DistributedLock(name = "order", key = "#ordr.id")
		String ship(Order order) {
			return order.id();
		}

	}

}
