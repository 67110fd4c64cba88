package io.holdfast.actuate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.autoconfigure.HoldfastAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastMetricsAutoConfiguration;
import io.holdfast.autoconfigure.HoldfastObservationAutoConfiguration;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the dashboard with what Prometheus is told by an application that has used
 * locks, and whose histograms are as they are documented.
 */
@Tag("any-jdk")
class GrafanaDashboardTests {

	/**
	 * What Prometheus adds to what it is told.
	 */
	private static final Set<String> LABELS_OF_PROMETHEUS = Set.of("instance", "job");

	private static final Pattern SELECTOR = Pattern.compile("\\b(holdfast_[a-z_]+)(?:\\{([^}]*)})?");

	private static final Map<String, Object> dashboard = JsonParserFactory.getJsonParser()
		.parseMap(read("grafana-dashboard.json"));

	private static Exposition told = new Exposition(Map.of());

	private static String read(String document) {
		try {
			return Files.readString(Path.of("../docs", document));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@BeforeAll
	static void useLocks() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
					CompositeMeterRegistryAutoConfiguration.class, PrometheusMetricsExportAutoConfiguration.class,
					ObservationAutoConfiguration.class, HoldfastAutoConfiguration.class,
					HoldfastMetricsAutoConfiguration.class, HoldfastObservationAutoConfiguration.class))
			.withPropertyValues("holdfast.store=local", "spring.application.name=shop")
			.withPropertyValues(documented())
			.run((context) -> {
				LockMeters.useAll(context);
				told = Exposition.of(context.getBean(PrometheusMeterRegistry.class).scrape());
			});
	}

	/**
	 * Return the block of properties that the document shows.
	 */
	private static String[] documented() {
		Matcher block = Pattern.compile("```yaml\\R(management:.*?)```", Pattern.DOTALL).matcher(read("operations.md"));
		assertThat(block.find()).isTrue();
		YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
		yaml.setResources(new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8)));
		return Objects.requireNonNull(yaml.getObject())
			.entrySet()
			.stream()
			.map((property) -> property.getKey() + "=" + property.getValue())
			.toArray(String[]::new);
	}

	/**
	 * Return all texts in the dashboard that have a name.
	 */
	private static List<String> texts(String name) {
		List<String> texts = new ArrayList<>();
		collect(dashboard, name, texts);
		return texts;
	}

	private static void collect(@Nullable Object node, String name, List<String> texts) {
		if (node instanceof Map<?, ?> map) {
			if (map.get(name) instanceof String text) {
				texts.add(text);
			}
			map.values().forEach((value) -> collect(value, name, texts));
		}
		else if (node instanceof Collection<?> list) {
			list.forEach((value) -> collect(value, name, texts));
		}
	}

	private static List<String> queries() {
		List<String> queries = texts("expr");
		queries.addAll(texts("definition"));
		assertThat(queries).hasSizeGreaterThan(15);
		return queries;
	}

	private static List<MatchResult> selectors() {
		return queries().stream().flatMap((query) -> SELECTOR.matcher(query).results()).toList();
	}

	@Test
	void metricsAreToldToPrometheus() {
		assertThat(selectors()).extracting((selector) -> selector.group(1)).isSubsetOf(told.metrics().keySet());
	}

	@Test
	void everyMeterIsShown() {
		Set<String> shown = new TreeSet<>();
		selectors()
			.forEach((selector) -> shown.add(selector.group(1).replaceAll("_(seconds|locks|callers|total).*", "")));
		assertThat(shown).containsExactly("holdfast_acquire", "holdfast_held", "holdfast_hold", "holdfast_lost",
				"holdfast_renewals", "holdfast_renewals_failed", "holdfast_waiting");
	}

	@Test
	void labelsAreThoseOfTheirMetrics() {
		assertThat(selectors()).allSatisfy((selector) -> {
			Exposition.LABEL.matcher(String.valueOf(selector.group(2)))
				.results()
				.forEach((label) -> checkLabel(selector.group(1), label));
		});
	}

	@Test
	void documentedHistogramsTellLongWaitsAndHoldsApart() {
		assertThat(longestBucket("holdfast_acquire_seconds")).isGreaterThanOrEqualTo(500);
		assertThat(longestBucket("holdfast_hold_seconds")).isGreaterThanOrEqualTo(500);
		assertThat(told.metrics()).containsKey("holdfast_lock_seconds_count")
			.doesNotContainKey("holdfast_lock_seconds_bucket");
		assertThat(told.values("holdfast_acquire_seconds_count", "application")).containsExactly("shop");
	}

	private static double longestBucket(String metric) {
		return told.values(metric + "_bucket", "le")
			.stream()
			.filter((bound) -> !bound.equals("+Inf"))
			.mapToDouble(Double::parseDouble)
			.max()
			.orElse(0);
	}

	/**
	 * A value that stands there, and is no variable, must be one that there is.
	 */
	private static void checkLabel(String metric, MatchResult label) {
		String name = label.group(1);
		if (!LABELS_OF_PROMETHEUS.contains(name)) {
			assertThat(told.labels(metric)).as(metric).contains(name);
			if (!label.group(3).startsWith("$")) {
				assertThat(told.values(metric, name)).as("%s of %s", name, metric).contains(label.group(3));
			}
		}
	}

}
