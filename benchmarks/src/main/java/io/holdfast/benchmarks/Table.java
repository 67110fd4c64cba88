package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The table that comes out: a row for each contender in each scenario, with the median of
 * all rounds.
 */
final class Table {

	private final List<String> lines = new ArrayList<>();

	/**
	 * Add the row of a contender.
	 * @param rounds the figures of each round, by the column's header
	 */
	void add(Scenario scenario, Contender contender, List<Map<String, Double>> rounds) {
		List<String> headers = List.copyOf(rounds.get(0).keySet());
		if (this.lines.isEmpty()) {
			this.lines.add("| | |" + headers.stream().map((header) -> " " + header + " |").collect(Collectors.joining())
					+ " " + headers.get(0) + ", min – max |");
			this.lines.add("|---|---|" + "---:|".repeat(headers.size() + 1));
		}
		List<Double> first = sorted(rounds, headers.get(0));
		this.lines.add("| %s: %s | %s |".formatted(scenario.name().toLowerCase(Locale.ROOT), scenario.title(),
				contender.label())
				+ headers.stream()
					.map((header) -> " " + number(median(sorted(rounds, header))) + " |")
					.collect(Collectors.joining())
				+ " %s – %s |".formatted(number(first.get(0)), number(first.get(first.size() - 1))));
	}

	/**
	 * Return the last row that was added.
	 */
	String last() {
		return this.lines.get(this.lines.size() - 1);
	}

	private static List<Double> sorted(List<Map<String, Double>> rounds, String header) {
		return rounds.stream().map((figures) -> figures.getOrDefault(header, Double.NaN)).sorted().toList();
	}

	private static double median(List<Double> sorted) {
		int size = sorted.size();
		return (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
	}

	private static String number(double value) {
		if (!Double.isFinite(value)) {
			return "–";
		}
		return String.format(Locale.ROOT, (value >= 100) ? "%,.0f" : (value >= 10) ? "%.1f" : "%.2g", value);
	}

	@Override
	public String toString() {
		return String.join("\n", this.lines) + "\n";
	}

}
