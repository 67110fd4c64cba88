package io.holdfast.benchmarks.harness;

/**
 * Microseconds, with what is less than one as decimals.
 */
final class Micros {

	private Micros() {
	}

	static double of(double nanos) {
		return nanos / 1000;
	}

}
