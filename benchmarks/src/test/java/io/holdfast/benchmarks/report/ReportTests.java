package io.holdfast.benchmarks.report;

import java.util.List;
import java.util.Map;

import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.harness.Figure;
import io.holdfast.benchmarks.harness.Measurement;
import io.holdfast.benchmarks.harness.Results;
import io.holdfast.benchmarks.harness.Scenario;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the tables, the raw results and the charts.
 */
class ReportTests {

	private final Results results = new Results();

	@BeforeEach
	void measure() {
		add(Contender.BARE_JEDIS, 1, 1000);
		add(Contender.BARE_JEDIS, 2, 3000);
		add(Contender.HOLDFAST_JEDIS, 1, 1700);
	}

	private void add(Contender contender, int round, double operations) {
		this.results
			.add(new Measurement(Scenario.ONE_KEY_16, contender.label(), round, Map.of(Figure.OPERATIONS_PER_SECOND,
					operations, Figure.P50, 100.0, Figure.P99, 480.0, Figure.ROUND_TRIP, 20.0)));
	}

	@Test
	void tableComparesMediansWithTheBaseline() {
		assertThat(new ScenarioTable(this.results, Scenario.ONE_KEY_16).toString().lines())
			.anySatisfy(
					(line) -> assertThat(line).startsWith("|  | ops/s | p50 µs |").endsWith("| ops/s ÷ bare Jedis |"))
			.anySatisfy((line) -> assertThat(line).startsWith("| bare Jedis | 2,000 | 100 | 480 |")
				.endsWith("| 1,000 – 3,000 | 1.00 |"))
			.anySatisfy((line) -> assertThat(line).startsWith("| Holdfast (Jedis) | 1,700 |").endsWith("| – | 0.85 |"));
	}

	@Test
	void targetsSayWhatIsReachedAndLeaveOutWhatWasNotMeasured() {
		add(Contender.REDISSON, 1, 200);
		add(Contender.SPRING_INTEGRATION_PUB_SUB, 1, 100);
		assertThat(Targets.table(this.results).lines()).hasSize(5)
			.contains("| One key, 16 threads in one JVM: ops/s ÷ Redisson RLock | ≥ 20.00 | 8.50 | **no** |",
					"| One key, 16 threads in one JVM: ops/s ÷ Spring Integration (pub/sub) | ≥ 10.00 | 17.00 | yes |",
					"| One key, 16 threads in one JVM: p99 ÷ p50 | ≤ 3.00 | 4.80 | **no** |");
	}

	@Test
	void targetComparesWithTheBestOfThePeers() {
		addHandOver(Contender.REDISSON, 300);
		addHandOver(Contender.SPRING_INTEGRATION_PUB_SUB, 200);
		addHandOver(Contender.HOLDFAST_JEDIS, 150);
		assertThat(Targets.table(this.results).lines()).contains(
				"| Hand-over between two JVMs: p50 µs ÷ the best peer's | ≤ 1.00 | 0.75 | yes |",
				"| Hand-over between two JVMs: p50 ÷ (round trip + wake-up) | ≤ 2.00 | 2.50 | **no** |");
	}

	private void addHandOver(Contender contender, double median) {
		this.results.add(new Measurement(Scenario.HAND_OVER, contender.label(), 1,
				Map.of(Figure.P50, median, Figure.ROUND_TRIP, 40.0, Figure.WAKE_UP, 20.0)));
	}

	@Test
	void rawResultsHaveEveryMeasurement() {
		assertThat(RawCsv.of(this.results).lines()).hasSize(4)
			.anySatisfy((line) -> assertThat(line).startsWith("scenario,contender,round,operations_per_second,"))
			.anySatisfy((line) -> assertThat(line).startsWith("b16,\"bare Jedis\",2,3000.000,"));
	}

	@Test
	void longestBarIsThatOfTheGreatestValue() {
		BarChart chart = new BarChart("a < b", List.of("s"),
				List.of(new BarChart.Row("half", List.of(50.0)), new BarChart.Row("all", List.of(100.0))), false);
		assertThat(chart.toSvg()).contains("a &lt; b", "width=\"240\"", "width=\"480\"");
	}

	@Test
	void logarithmicBarsGrowByTheSameLengthForEachPowerOfTen() {
		BarChart chart = new BarChart("t", List.of("s"), List.of(new BarChart.Row("nothing", List.of(0.0)),
				new BarChart.Row("ten", List.of(10.0)), new BarChart.Row("hundred", List.of(100.0))), true);
		assertThat(chart.toSvg()).contains("width=\"0\"", "width=\"240\"", "width=\"480\"");
	}

}
