package io.holdfast.benchmarks.harness;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Results}.
 */
class ResultsTests {

	private final Results results = new Results();

	@Test
	void medianIsTheOneInTheMiddle() {
		add("one", 30, 10, 20);
		add("other", 1, 2, 3);
		assertThat(this.results.median(Scenario.OWN_KEY_1, "one", Figure.P50)).hasValue(20);
	}

	@Test
	void medianOfTwoIsTheirMean() {
		add("one", 30, 10);
		assertThat(this.results.median(Scenario.OWN_KEY_1, "one", Figure.P50)).hasValue(20);
	}

	@Test
	void medianIsMissingWhereNothingWasMeasured() {
		add("one", 30);
		assertThat(this.results.median(Scenario.OWN_KEY_1, "one", Figure.P99)).isEmpty();
		assertThat(this.results.median(Scenario.HELD, "one", Figure.P50)).isEmpty();
	}

	@Test
	void scenariosAndContendersAreListedOnce() {
		add("b", 1, 2);
		add("a", 1);
		assertThat(this.results.scenarios()).containsExactly(Scenario.OWN_KEY_1);
		assertThat(this.results.contenders(Scenario.OWN_KEY_1)).containsExactly("b", "a");
	}

	private void add(String contender, double... values) {
		for (int i = 0; i < values.length; i++) {
			this.results.add(new Measurement(Scenario.OWN_KEY_1, contender, i + 1, Map.of(Figure.P50, values[i])));
		}
	}

}
