package io.holdfast.sample;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Measured times, sorted into a few classes of the same width.
 *
 * @param widthMs width of a class, in milliseconds
 * @param counts how many times there are in each class, from zero up to the longest
 */
public record Histogram(long widthMs, List<Integer> counts) {

	/**
	 * With more, the page has no room to label each of them.
	 */
	private static final int MOST_CLASSES = 8;

	private static final int[] ROUND = { 2, 5, 10 };

	static Histogram ofNanos(long... times) {
		long[] millis = LongStream.of(times).map(TimeUnit.NANOSECONDS::toMillis).sorted().toArray();
		if (millis.length == 0) {
			return new Histogram(1, List.of());
		}
		long longest = millis[millis.length - 1];
		long width = width(longest);
		int[] counts = new int[(int) (longest / width) + 1];
		LongStream.of(millis).forEach((time) -> counts[(int) (time / width)]++);
		return new Histogram(width, IntStream.of(counts).boxed().toList());
	}

	/**
	 * Return the least round width with which there are not too many classes.
	 */
	private static long width(long longest) {
		long width = 1;
		for (long power = 1; longest / width >= MOST_CLASSES; power *= 10) {
			for (int i = 0; i < ROUND.length && longest / width >= MOST_CLASSES; i++) {
				width = power * ROUND[i];
			}
		}
		return width;
	}

}
