package io.holdfast.sample;

import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Percentiles}.
 */
class PercentilesTests {

	private static final long MILLISECOND = 1_000_000;

	@Test
	void areTheSmallestTimesThatEnoughMeasurementsDoNotExceed() {
		long[] oneToTwoHundred = LongStream.rangeClosed(1, 200).map((i) -> (201 - i) * MILLISECOND).toArray();
		assertThat(Percentiles.ofNanos(oneToTwoHundred)).isEqualTo(new Percentiles(100, 198));
	}

	@Test
	void areTheOnlyMeasurementWhenThereIsOne() {
		assertThat(Percentiles.ofNanos(1_500_000)).isEqualTo(new Percentiles(1.5, 1.5));
	}

	@Test
	void areZeroWithoutMeasurements() {
		assertThat(Percentiles.ofNanos()).isEqualTo(Percentiles.NONE);
	}

}
