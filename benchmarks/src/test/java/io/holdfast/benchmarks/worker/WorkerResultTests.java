package io.holdfast.benchmarks.worker;

import java.util.List;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WorkerResult}.
 */
class WorkerResultTests {

	@Test
	void survivesBeingSent() {
		Histogram latencies = Histograms.create();
		latencies.recordValue(123_456_789);
		WorkerResult sent = new WorkerResult(10, 20, 30, latencies, List.of(new Turn(1, 2, 3), new Turn(4, 5, 6)));
		assertThat(WorkerResult.parse(sent.toLine())).isEqualTo(sent);
	}

	@Test
	void survivesBeingSentWithNothingInIt() {
		WorkerResult sent = new WorkerResult(0, 0, 0, Histograms.create(), List.of());
		assertThat(WorkerResult.parse(sent.toLine())).isEqualTo(sent);
	}

	@Test
	void histogramsCanBeAddedToAfterwards() {
		Histogram sum = Histograms.decode(Histograms.encode(Histograms.create()));
		Histogram slow = Histograms.create();
		slow.recordValue(60_000_000_000L);
		sum.add(slow);
		assertThat(sum.getTotalCount()).isOne();
	}

}
