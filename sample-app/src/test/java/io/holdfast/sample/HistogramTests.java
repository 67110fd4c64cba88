package io.holdfast.sample;

import java.time.Duration;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Histogram}.
 */
class HistogramTests {

	@Test
	void countsTimesByClass() {
		Histogram histogram = ofMillis(0, 1, 19, 20, 120);
		assertThat(histogram.widthMs()).isEqualTo(20);
		assertThat(histogram.counts()).containsExactly(3, 1, 0, 0, 0, 0, 1);
	}

	@Test
	void takesRoundWidthsThatMakeEightClassesAtTheMost() {
		assertThat(ofMillis(7).widthMs()).isEqualTo(1);
		assertThat(ofMillis(8).widthMs()).isEqualTo(2);
		assertThat(ofMillis(39).widthMs()).isEqualTo(5);
		assertThat(ofMillis(40).widthMs()).isEqualTo(10);
		assertThat(ofMillis(30_000).widthMs()).isEqualTo(5_000);
		LongStream.range(0, 5_000)
			.forEach((longest) -> assertThat(ofMillis(longest).counts()).hasSizeBetween(1, 8).last().isEqualTo(1));
	}

	@Test
	void hasNothingToShowWithoutTimes() {
		assertThat(Histogram.ofNanos().counts()).isEmpty();
	}

	private static Histogram ofMillis(long... millis) {
		return Histogram.ofNanos(LongStream.of(millis).map((time) -> Duration.ofMillis(time).toNanos()).toArray());
	}

}
