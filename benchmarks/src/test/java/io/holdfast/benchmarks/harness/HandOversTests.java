package io.holdfast.benchmarks.harness;

import java.util.List;

import io.holdfast.benchmarks.worker.Turn;
import io.holdfast.benchmarks.worker.Window;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link HandOvers}.
 */
class HandOversTests {

	@Test
	void lastFromTheReleaseToTheNextAcquisition() {
		Histogram times = HandOvers
			.times(List.of(List.of(new Turn(0, 10, 100), new Turn(150, 290, 400)), List.of(new Turn(20, 130, 230))));
		assertThat(times.getTotalCount()).isEqualTo(2);
		assertThat(times.getMinValue()).isEqualTo(30);
		assertThat(times.getMaxValue()).isEqualTo(60);
	}

	@Test
	void doNotCountWhenNobodyWaited() {
		Histogram times = HandOvers.times(List.of(List.of(new Turn(0, 10, 100)), List.of(new Turn(101, 130, 230))));
		assertThat(times.getTotalCount()).isZero();
	}

	@Test
	void doNotCountWhenTheSameWorkerGetsTheLockAgain() {
		Histogram times = HandOvers.times(List.of(List.of(new Turn(0, 10, 100), new Turn(90, 130, 230)), List.of()));
		assertThat(times.getTotalCount()).isZero();
	}

	@Test
	void failWhenTwoHadTheLockAtTheSameTime() {
		assertThatExceptionOfType(NotExclusiveException.class)
			.isThrownBy(
					() -> HandOvers.times(List.of(List.of(new Turn(0, 10, 9000)), List.of(new Turn(20, 5000, 12000)))))
			.withMessageContaining("4 µs before");
	}

	@Test
	void timeInsideIsThatOfAllWorkersInTheWindow() {
		List<List<Turn>> logs = List.of(List.of(new Turn(0, 50, 150), new Turn(150, 290, 400)),
				List.of(new Turn(20, 150, 230), new Turn(400, 510, 600)));
		assertThat(HandOvers.timeInside(logs, new Window(100, 300))).isEqualTo(50 + 10 + 80);
	}

}
