package io.holdfast.actuate;

import java.util.stream.Collectors;

import io.holdfast.LockHandle;
import io.holdfast.LockTemplate;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * A JVM of {@link OptionalMicrometerTests}. Prints what there is besides locks.
 */
final class OptionalMicrometerWorker {

	private OptionalMicrometerWorker() {
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
			boolean locked = context.getBean(LockTemplate.class).tryExecute("key", LockHandle::isHeld).orElse(false);
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

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
