package io.holdfast.actuate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.LockHandle;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastMetricsAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastObservationAutoConfiguration;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Histograms in Prometheus, as they are documented, and traces that belong to them.
 */
@Tag("any-jdk")
class LockHistogramTests {

	private static final Pattern BUCKET = Pattern.compile("(\\w+)_bucket\\{.*le=\"([0-9.E+]+)\".*} .*");

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
				CompositeMeterRegistryAutoConfiguration.class, PrometheusMetricsExportAutoConfiguration.class,
				ObservationAutoConfiguration.class, HoldfastAutoConfiguration.class,
				HoldfastMetricsAutoConfiguration.class, HoldfastObservationAutoConfiguration.class))
		.withPropertyValues("holdfast.store=local", "holdfast.key-prefix=" + getClass().getName(),
				"spring.application.name=shop");

	/**
	 * Return the block of properties that the document shows.
	 */
	private static String[] documented() throws IOException {
		Matcher block = Pattern.compile("```yaml\\R(management:.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("../docs/operations.md")));
		assertThat(block.find()).isTrue();
		List<PropertySource<?>> sources = new YamlPropertySourceLoader().load("documented",
				new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8)));
		@SuppressWarnings("unchecked")
		EnumerablePropertySource<Map<String, Object>> source = (EnumerablePropertySource<Map<String, Object>>) sources
			.get(0);
		return Arrays.stream(source.getPropertyNames())
			.map((name) -> name + "=" + source.getProperty(name))
			.toArray(String[]::new);
	}

	private static List<String> scrape(PrometheusMeterRegistry registry) {
		return registry.scrape("application/openmetrics-text; version=1.0.0").lines().toList();
	}

	private static double longestBucket(List<String> lines, String metric) {
		return lines.stream()
			.map(BUCKET::matcher)
			.filter(Matcher::matches)
			.map(Matcher::toMatchResult)
			.filter((bucket) -> bucket.group(1).equals(metric) && !bucket.group(2).startsWith("+"))
			.map((MatchResult bucket) -> bucket.group(2))
			.mapToDouble(Double::parseDouble)
			.max()
			.orElse(0);
	}

	@Test
	void documentedPropertiesMakeHistogramsThatTellLongWaitsAndHoldsApart() throws IOException {
		this.contextRunner.withPropertyValues(documented()).run((context) -> {
			useLock(context.getBean(LockTemplate.class));
			List<String> lines = scrape(context.getBean(PrometheusMeterRegistry.class));
			assertThat(longestBucket(lines, "holdfast_acquire_seconds")).isGreaterThanOrEqualTo(500);
			assertThat(longestBucket(lines, "holdfast_hold_seconds")).isGreaterThanOrEqualTo(500);
			assertThat(longestBucket(lines, "holdfast_lock_seconds")).isZero();
			assertThat(lines).anyMatch((line) -> line.startsWith("holdfast_lock_seconds_count"));
			assertThat(lines).filteredOn((line) -> line.startsWith("holdfast_acquire_seconds_count"))
				.allMatch((line) -> line.contains("application=\"shop\""));
		});
	}

	private static void useLock(LockTemplate locks) {
		locks.executeWithoutResult(LockRequest.of("42").name("order"), LockHandle::ensureHeld);
	}

}
