package io.holdfast.benchmarks.report;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Objects;

import io.holdfast.benchmarks.harness.Figure;
import io.holdfast.benchmarks.harness.Results;
import io.holdfast.benchmarks.harness.Scenario;

/**
 * The table of a scenario: the median over all rounds of each figure, and how the first
 * of them compares.
 */
final class ScenarioTable {

	private final Results results;

	private final Scenario scenario;

	private final List<String> baselines;

	ScenarioTable(Results results, Scenario scenario) {
		this.results = results;
		this.scenario = scenario;
		this.baselines = Baselines.of(scenario, results);
	}

	@Override
	public String toString() {
		MarkdownTable table = new MarkdownTable(headers());
		this.results.contenders(this.scenario).forEach((contender) -> table.add(row(contender)));
		return table.toString();
	}

	private List<String> headers() {
		List<String> headers = new ArrayList<>();
		headers.add("");
		this.scenario.figures().forEach((figure) -> headers.add(figure.header()));
		String compared = this.scenario.mainFigure().header();
		headers.add(compared + ", min – max");
		this.baselines.forEach((baseline) -> headers.add(compared + " ÷ " + baseline));
		return headers;
	}

	private List<String> row(String contender) {
		List<String> cells = new ArrayList<>();
		cells.add(contender);
		this.scenario.figures()
			.forEach((figure) -> cells
				.add(Numbers.format(figure, this.results.median(this.scenario, contender, figure))));
		cells.add(range(contender));
		Figure compared = this.scenario.mainFigure();
		this.baselines
			.forEach((baseline) -> cells.add(Numbers.ratio(this.results.median(this.scenario, contender, compared),
					this.results.median(this.scenario, baseline, compared))));
		return cells;
	}

	private String range(String contender) {
		Figure figure = this.scenario.mainFigure();
		DoubleSummaryStatistics values = this.results.measurements()
			.stream()
			.filter((one) -> one.scenario() == this.scenario && one.contender().equals(contender))
			.map((one) -> one.figures().get(figure))
			.filter(Objects::nonNull)
			.mapToDouble(Double::doubleValue)
			.summaryStatistics();
		return (values.getCount() > 1) ? Numbers.format(values.getMin(), figure.decimals()) + " – "
				+ Numbers.format(values.getMax(), figure.decimals()) : Numbers.NONE;
	}

}
