package io.holdfast.actuate;

import java.util.stream.Collectors;

import io.holdfast.LockHandle;
import io.holdfast.LockTemplate;
import io.holdfast.test.WorkerProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with Micrometer; without it and with parts of it, in JVMs of their own.
 */
@Tag("any-jdk")
@Tag("slow")
class OptionalMicrometerTests {

	@Test
	void locksAreMeasuredAndObservedWhereThatIsPossible() {
		assertThat(Worker.outcome()).isEqualTo("locked, measured, observed");
	}

	/**
	 * Spring Boot's module for metrics needs observations itself.
	 */
	@ParameterizedTest
	@CsvSource({ "micrometer-core micrometer-registry spring-boot-micrometer-metrics, 'locked, observed'",
			"micrometer-observation spring-boot-micrometer, locked",
			"micrometer context-propagation spring-boot-micrometer, locked" })
	void locksNeedNothingOfIt(String without, String outcome) throws Exception {
		assertThat(WorkerProcess.outcome(Worker.class, without.split(" "))).isEqualTo(outcome);
	}

	static final class Worker {

		private Worker() {
		}

		/**
		 * Run a worker.
		 */
		public static void main(String[] args) {
			System.out.println(outcome());
		}

		/**
		 * Return what there is besides locks.
		 */
		static String outcome() {
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
				.web(WebApplicationType.NONE)
				.properties("spring.main.banner-mode=off", "holdfast.store=local",
						"spring.autoconfigure.exclude=" + whatHasNothingToDoWithIt())
				.run()) {
				boolean locked = context.getBean(LockTemplate.class)
					.tryExecute("key", LockHandle::isHeld)
					.orElse(false);
				return (locked ? "locked" : "not locked")
						+ (context.containsBean("holdfastLockMetrics") ? ", measured" : "")
						+ (context.containsBean("holdfastLockObservations") ? ", observed" : "");
			}
		}

		private static String whatHasNothingToDoWithIt() {
			return ImportCandidates.load(AutoConfiguration.class, null)
				.getCandidates()
				.stream()
				.filter((name) -> !name.matches("io\\.holdfast\\..*|.*(Aop|\\.micrometer\\.).*"))
				.collect(Collectors.joining(","));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
