package io.holdfast.actuate;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Prometheus is told: the names of metrics, with their labels and the values of
 * these.
 *
 * @param metrics values by label by metric
 */
record Exposition(Map<String, Map<String, Set<String>>> metrics) {

	private static final Pattern SAMPLE = Pattern.compile("([a-z_]+)(?:\\{(.*)})? \\S+");

	static final Pattern LABEL = Pattern.compile("(\\w+)(=~|!~|!=|=)\"([^\"]*)\"");

	static Exposition of(String text) {
		Exposition exposition = new Exposition(new TreeMap<>());
		text.lines()
			.filter((line) -> !line.startsWith("#"))
			.map(SAMPLE::matcher)
			.filter(Matcher::matches)
			.forEach(exposition::add);
		return exposition;
	}

	private void add(MatchResult sample) {
		Map<String, Set<String>> labels = this.metrics.computeIfAbsent(sample.group(1), (name) -> new TreeMap<>());
		if (sample.group(2) != null) {
			LABEL.matcher(sample.group(2))
				.results()
				.forEach((label) -> labels.computeIfAbsent(label.group(1), (name) -> new TreeSet<>())
					.add(label.group(3)));
		}
	}

	Set<String> labels(String metric) {
		return this.metrics.getOrDefault(metric, Map.of()).keySet();
	}

	Set<String> values(String metric, String label) {
		return this.metrics.getOrDefault(metric, Map.of()).getOrDefault(label, Set.of());
	}

}
