package io.holdfast.sample;

import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DemoReport}.
 */
class DemoReportTests {

	@Test
	void alignsBothResultsInATable() {
		DemoReport report = new DemoReport(result(false, 173, 0), result(true, 50, 0));
		assertThat(report.table().lines()).containsExactly("Flash sale: 200 buyers, 50 in stock",
				"lock  sold  oversold  waited p50  waited p99", "no    173   123       -           -",
				"yes   50    0         20.5 ms     228.4 ms");
		assertThat(report.surprises()).isEmpty();
	}

	@Test
	void isSurprisedWhenTheLockDoesNotHelp() {
		assertThat(new DemoReport(result(false, 173, 0), result(true, 51, 0)).surprises())
			.containsExactly("With the lock 1 pieces were oversold");
	}

	@Test
	void isSurprisedWhenNoLockIsNeeded() {
		assertThat(new DemoReport(result(false, 50, 0), result(true, 50, 0)).surprises()).singleElement()
			.asString()
			.startsWith("Without the lock nothing was oversold");
	}

	@Test
	void isSurprisedByFailedBuyers() {
		assertThat(new DemoReport(result(false, 173, 1), result(true, 50, 2)).surprises())
			.containsExactly("3 buyers failed, see the log");
	}

	private static RushResult result(boolean locked, int sold, int failed) {
		return new RushResult(200, locked, 50, sold, sold, sold - 50, failed, new Percentiles(20.46, 228.4),
				new Histogram(1, List.of()), 400, Instant.EPOCH);
	}

}
