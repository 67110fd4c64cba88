package io.holdfast.benchmarks.report;

import java.util.Locale;
import java.util.OptionalDouble;

import io.holdfast.benchmarks.harness.Figure;

/**
 * Numbers as tables show them.
 */
final class Numbers {

	static final String NONE = "–";

	private Numbers() {
	}

	static String format(Figure figure, OptionalDouble value) {
		return value.isPresent() ? format(value.getAsDouble(), figure.decimals()) : NONE;
	}

	static String ratio(OptionalDouble value, OptionalDouble base) {
		return (value.isPresent() && base.isPresent() && base.getAsDouble() > 0)
				? format(value.getAsDouble() / base.getAsDouble(), 2) : NONE;
	}

	static String format(double value, int decimals) {
		return String.format(Locale.ROOT, "%,." + decimals + "f", value);
	}

}
