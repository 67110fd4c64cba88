package io.holdfast.actuate;

import java.io.IOException;

import io.holdfast.test.WorkerProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with Micrometer; without it and with parts of it, in JVMs of their own.
 */
@Tag("any-jdk")
@Tag("slow")
class OptionalMicrometerTests {

	@Test
	void locksAreMeasuredAndObservedWhereThatIsPossible() {
		assertThat(OptionalMicrometerWorker.outcome()).isEqualTo("locked, measured, observed");
	}

	@Test
	void locksNeedNoMetrics() throws Exception {
		assertThat(outcome("micrometer-core", "micrometer-registry", "spring-boot-micrometer-metrics"))
			.isEqualTo("locked, observed");
	}

	/**
	 * Spring Boot's module for metrics needs observations itself.
	 */
	@Test
	void locksNeedNoObservations() throws Exception {
		assertThat(outcome("micrometer-observation", "spring-boot-micrometer")).isEqualTo("locked");
	}

	@Test
	void locksNeedNothingOfMicrometer() throws Exception {
		assertThat(outcome("micrometer", "context-propagation", "spring-boot-micrometer")).isEqualTo("locked");
	}

	private static String outcome(String... without) throws IOException, InterruptedException {
		return WorkerProcess.outcome(OptionalMicrometerWorker.class, without);
	}

}
