package io.holdfast.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.OptionalDouble;

import io.holdfast.benchmarks.harness.Failure;
import io.holdfast.benchmarks.harness.Figure;
import io.holdfast.benchmarks.harness.Results;
import io.holdfast.benchmarks.harness.Scenario;

/**
 * All that comes out of a run: the page with the tables, the raw results, the charts.
 */
public final class Report {

	/**
	 * The file with the tables.
	 */
	public static final String PAGE = "results.md";

	/**
	 * The file with every single measurement.
	 */
	public static final String RAW = "results.csv";

	private final Results results;

	private final Machine machine;

	private final String conditions;

	/**
	 * Prepare a report.
	 * @param results what was measured
	 * @param machine on what
	 * @param conditions for how long, and so on
	 */
	public Report(Results results, Machine machine, String conditions) {
		this.results = results;
		this.machine = machine;
		this.conditions = conditions;
	}

	/**
	 * Write all files.
	 * @param directory where to
	 * @return the page with the tables
	 * @throws IOException when it cannot be written
	 */
	public String write(Path directory) throws IOException {
		Files.createDirectories(directory);
		StringBuilder page = new StringBuilder(head());
		Charts charts = new Charts(this.results);
		for (Scenario scenario : this.results.scenarios()) {
			page.append(section(scenario, charts.write(scenario, directory)));
		}
		page.append("\n## Targets\n\n").append(Targets.table(this.results)).append(failures());
		Files.writeString(directory.resolve(PAGE), page);
		Files.writeString(directory.resolve(RAW), RawCsv.of(this.results));
		return page.toString();
	}

	private String head() {
		return """
				# Results

				Measured on %s: %s. Each figure is the median of all rounds, and [%s](%s) has every one of them.

				%s""".formatted(LocalDate.now(ZoneOffset.UTC), this.conditions, RAW, RAW, this.machine);
	}

	private String section(Scenario scenario, List<String> charts) {
		StringBuilder section = new StringBuilder("\n## %s\n\n".formatted(scenario.title()));
		OptionalDouble roundTrip = this.results.median(scenario, Figure.ROUND_TRIP);
		roundTrip
			.ifPresent((micros) -> section.append("One round trip (PING): %s µs".formatted(Numbers.format(micros, 1))));
		this.results.median(scenario, Figure.WAKE_UP)
			.ifPresent((micros) -> section.append("; waking a thread: %s µs".formatted(Numbers.format(micros, 1))));
		roundTrip.ifPresent((micros) -> section.append(".\n\n"));
		section.append(new ScenarioTable(this.results, scenario)).append('\n');
		charts.forEach((chart) -> section.append("![%s](%s)\n".formatted(scenario.title(), chart)));
		return section.toString();
	}

	private String failures() {
		List<Failure> failures = this.results.failures();
		if (failures.isEmpty()) {
			return "";
		}
		StringBuilder section = new StringBuilder("\n## Not measured\n\n");
		failures
			.forEach((failure) -> section.append("- ").append(failure.toString().replace("\n", "\n  ")).append('\n'));
		return section.toString();
	}

}
