package io.holdfast.benchmarks.report;

import java.util.OptionalDouble;
import java.util.function.Function;

import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.harness.Figure;
import io.holdfast.benchmarks.harness.Results;
import io.holdfast.benchmarks.harness.Scenario;

/**
 * Something that Holdfast with Jedis is meant to reach.
 *
 * @param scenario in which situation
 * @param text what it is
 * @param limit the number
 * @param atLeast whether the number is the least there may be, or the most
 * @param measure finds what was measured
 */
record Target(Scenario scenario, String text, double limit, boolean atLeast,
		Function<Results, OptionalDouble> measure) {

	private static final String HOLDFAST = Contender.HOLDFAST_JEDIS.label();

	/**
	 * So many times as many operations a second as another contender.
	 */
	static Target timesAsFast(Scenario scenario, Contender other, double limit) {
		Figure figure = Figure.OPERATIONS_PER_SECOND;
		return new Target(scenario, "ops/s ÷ " + other.label(), limit, true,
				(results) -> divide(results.median(scenario, HOLDFAST, figure),
						results.median(scenario, other.label(), figure)));
	}

	/**
	 * A figure of Holdfast's own is enough.
	 */
	static Target atLeast(Scenario scenario, Figure figure, double limit) {
		return new Target(scenario, figure.header(), limit, true,
				(results) -> results.median(scenario, HOLDFAST, figure));
	}

	/**
	 * A figure of Holdfast's own is not too much.
	 */
	static Target atMost(Scenario scenario, Figure figure, double limit) {
		return new Target(scenario, figure.header(), limit, false,
				(results) -> results.median(scenario, HOLDFAST, figure));
	}

	/**
	 * A figure is at most so many times as much as another contender's.
	 */
	static Target atMostTimes(Scenario scenario, Figure figure, Contender other, double limit) {
		return new Target(scenario, "%s ÷ %s".formatted(figure.header(), other.label()), limit, false,
				(results) -> divide(results.median(scenario, HOLDFAST, figure),
						results.median(scenario, other.label(), figure)));
	}

	/**
	 * The 99th percentile is at most so many times the median.
	 */
	static Target evenLatency(Scenario scenario, double limit) {
		return new Target(scenario, "p99 ÷ p50", limit, false,
				(results) -> divide(results.median(scenario, HOLDFAST, Figure.P99),
						results.median(scenario, HOLDFAST, Figure.P50)));
	}

	/**
	 * A figure is below that of every other library.
	 */
	static Target belowPeers(Scenario scenario, Figure figure) {
		return new Target(scenario, figure.header() + " ÷ the best peer's", 1, false,
				(results) -> divide(results.median(scenario, HOLDFAST, figure),
						Contender.peers()
							.map((peer) -> results.median(scenario, peer.label(), figure))
							.flatMapToDouble(OptionalDouble::stream)
							.min()));
	}

	/**
	 * The median latency is at most so many times as long as a round trip and the waking
	 * of a thread take together.
	 */
	static Target shortHandOver(Scenario scenario, double limit) {
		return new Target(scenario, "p50 ÷ (round trip + wake-up)", limit, false, (results) -> {
			OptionalDouble roundTrip = results.median(scenario, Figure.ROUND_TRIP);
			OptionalDouble wakeUp = results.median(scenario, Figure.WAKE_UP);
			return (roundTrip.isEmpty() || wakeUp.isEmpty()) ? OptionalDouble.empty()
					: divide(results.median(scenario, HOLDFAST, Figure.P50),
							OptionalDouble.of(roundTrip.getAsDouble() + wakeUp.getAsDouble()));
		});
	}

	private static OptionalDouble divide(OptionalDouble value, OptionalDouble base) {
		return (value.isPresent() && base.isPresent()) ? OptionalDouble.of(value.getAsDouble() / base.getAsDouble())
				: OptionalDouble.empty();
	}

	boolean isReached(double value) {
		return this.atLeast ? value >= this.limit : value <= this.limit;
	}

}
