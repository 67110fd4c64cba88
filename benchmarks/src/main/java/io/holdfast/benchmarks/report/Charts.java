package io.holdfast.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.benchmarks.harness.Figure;
import io.holdfast.benchmarks.harness.Results;
import io.holdfast.benchmarks.harness.Scenario;

/**
 * Charts of the medians.
 */
final class Charts {

	private final Results results;

	Charts(Results results) {
		this.results = results;
	}

	/**
	 * Write the charts of a scenario.
	 * @return the names of the files
	 */
	List<String> write(Scenario scenario, Path directory) throws IOException {
		List<String> files = new ArrayList<>();
		if (scenario.mainFigure() != Figure.P50) {
			files.add(write(scenario, List.of(scenario.mainFigure()), scenario.id() + ".svg", directory));
		}
		if (scenario.figures().contains(Figure.P99)) {
			files.add(write(scenario, List.of(Figure.P50, Figure.P99), scenario.id() + "-latency.svg", directory));
		}
		return files;
	}

	private String write(Scenario scenario, List<Figure> figures, String name, Path directory) throws IOException {
		boolean latencies = figures.contains(Figure.P99);
		List<BarChart.Row> rows = this.results.contenders(scenario)
			.stream()
			.map((contender) -> row(scenario, contender, figures))
			.toList();
		BarChart chart = new BarChart(scenario.title() + (latencies ? " (logarithmic)" : ""),
				figures.stream().map(Figure::header).toList(), rows, latencies);
		Files.writeString(directory.resolve(name), chart.toSvg());
		return name;
	}

	private BarChart.Row row(Scenario scenario, String contender, List<Figure> figures) {
		return new BarChart.Row(contender,
				figures.stream().map((figure) -> this.results.median(scenario, contender, figure).orElse(0)).toList());
	}

}
