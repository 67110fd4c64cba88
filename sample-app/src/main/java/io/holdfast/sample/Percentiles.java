package io.holdfast.sample;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Two percentiles of measured times.
 *
 * @param p50 the time that half of the measurements did not exceed, in milliseconds
 * @param p99 the time that 99 of 100 measurements did not exceed, in milliseconds
 */
public record Percentiles(double p50, double p99) {

	static final Percentiles NONE = new Percentiles(0, 0);

	static Percentiles ofNanos(long... times) {
		if (times.length == 0) {
			return NONE;
		}
		long[] sorted = times.clone();
		Arrays.sort(sorted);
		return new Percentiles(millis(sorted, 0.5), millis(sorted, 0.99));
	}

	private static double millis(long[] sorted, double share) {
		long nanos = sorted[(int) Math.ceil(share * sorted.length) - 1];
		return TimeUnit.NANOSECONDS.toMicros(nanos) / 1000.0;
	}

}
