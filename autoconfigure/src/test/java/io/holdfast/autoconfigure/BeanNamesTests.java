package io.holdfast.autoconfigure;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.holdfast.LockTemplate;
import io.holdfast.ReactiveLockTemplate;
import io.holdfast.actuate.LockGauges;
import io.holdfast.actuate.LockMetrics;
import io.holdfast.actuate.LockNames;
import io.holdfast.actuate.LockObservations;
import io.holdfast.actuate.LocksEndpoint;
import io.holdfast.actuate.LocksHealthIndicator;
import io.holdfast.aop.DistributedLockAdvisor;
import io.holdfast.aop.LockedMethods;
import io.holdfast.aop.ProxyVisibilityCheck;
import io.holdfast.engine.LockStore;
import io.holdfast.test.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Beans of Holdfast beside those of the application and of other libraries.
 */
@Tag("slow")
@Tag("any-jdk")
class BeanNamesTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues("management.endpoints.web.exposure.include=*", "spring.jmx.enabled=true",
				"management.endpoints.jmx.exposure.include=*", "spring.data.redis.port=" + redis.port());

	@Test
	void allBeansAreNamedAfterHoldfastOrTheirPath() {
		Set<String> others = beans(
				this.contextRunner.withPropertyValues("spring.autoconfigure.exclude=" + autoConfigurations()));
		for (String store : List.of("local", "redis")) {
			Set<String> names = beans(this.contextRunner.withPropertyValues("holdfast.store=" + store));
			names.removeAll(others);
			assertThat(names)
				.contains("holdfastLockTemplate", "holdfastReactiveLockTemplate", "holdfastLockRegistry",
						"holdfastLockStore", "holdfastLockAdvisor", "holdfastLockMetrics", "holdfastLockObservations",
						"locksEndpoint", "locksHealthIndicator")
				.allMatch((name) -> name.matches("(holdfast|locksEndpoint$|locksHealth|io\\.holdfast\\.).*"));
		}
	}

	@Test
	void stepsAsideForBeansOfTheUser() {
		List<Class<?>> types = List.of(LockTemplate.class, ReactiveLockTemplate.class, LockStore.class, LockNames.class,
				LockMetrics.class, LockGauges.class, LockObservations.class, LocksEndpoint.class,
				LocksHealthIndicator.class, ProxyVisibilityCheck.class);
		WebApplicationContextRunner application = this.contextRunner.withBean("theirs", DistributedLockAdvisor.class,
				() -> new DistributedLockAdvisor(mock(LockedMethods.class), 0));
		for (Class<?> type : types) {
			application = withLazyMock(application, type);
		}
		application.run((context) -> assertThat(types)
			.allSatisfy((type) -> assertThat(context.getBeanNamesForType(type, true, false)).hasSize(1))
			.satisfies((all) -> assertThat(context).hasSingleBean(DistributedLockAdvisor.class)));
	}

	private static <T> WebApplicationContextRunner withLazyMock(WebApplicationContextRunner application,
			Class<T> type) {
		return application.withBean(type, () -> mock(type), (definition) -> definition.setLazyInit(true));
	}

	private static Set<String> beans(WebApplicationContextRunner application) {
		Set<String> names = new LinkedHashSet<>();
		application.run((context) -> {
			assertThat(context).hasNotFailed();
			names.addAll(Arrays.asList(context.getBeanDefinitionNames()));
		});
		return names;
	}

	private static String autoConfigurations() {
		Stream<String> all = ImportCandidates.load(AutoConfiguration.class, null).getCandidates().stream();
		return String.join(",", all.filter((name) -> name.startsWith("io.holdfast")).toList());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
