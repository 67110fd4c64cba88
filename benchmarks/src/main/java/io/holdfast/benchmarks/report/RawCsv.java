package io.holdfast.benchmarks.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.holdfast.benchmarks.harness.Figure;
import io.holdfast.benchmarks.harness.Measurement;
import io.holdfast.benchmarks.harness.Results;

/**
 * Every single measurement, one a line.
 */
final class RawCsv {

	private RawCsv() {
	}

	static String of(Results results) {
		return header() + "\n"
				+ results.measurements().stream().map((one) -> line(one) + "\n").collect(Collectors.joining());
	}

	private static String header() {
		return "scenario,contender,round," + Arrays.stream(Figure.values())
			.map((figure) -> figure.name().toLowerCase(Locale.ROOT))
			.collect(Collectors.joining(","));
	}

	private static String line(Measurement measurement) {
		List<String> cells = new ArrayList<>(List.of(measurement.scenario().id(), '"' + measurement.contender() + '"',
				Integer.toString(measurement.round())));
		for (Figure figure : Figure.values()) {
			Double value = measurement.figures().get(figure);
			cells.add((value != null) ? String.format(Locale.ROOT, "%.3f", value) : "");
		}
		return String.join(",", cells);
	}

}
