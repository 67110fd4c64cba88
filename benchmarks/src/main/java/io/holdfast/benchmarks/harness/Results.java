package io.holdfast.benchmarks.harness;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/**
 * All that was measured in a run.
 */
public final class Results {

	private final List<Measurement> measurements = new ArrayList<>();

	private final List<Failure> failures = new ArrayList<>();

	/**
	 * Add a measurement.
	 * @param measurement what was measured
	 */
	public void add(Measurement measurement) {
		this.measurements.add(measurement);
	}

	/**
	 * Add a measurement that came to nothing.
	 * @param failure what went wrong
	 */
	public void add(Failure failure) {
		this.failures.add(failure);
	}

	/**
	 * Return all measurements.
	 * @return the measurements, in the order in which they were made
	 */
	public List<Measurement> measurements() {
		return List.copyOf(this.measurements);
	}

	/**
	 * Return what went wrong.
	 * @return the failures
	 */
	public List<Failure> failures() {
		return List.copyOf(this.failures);
	}

	/**
	 * Return the scenarios of which there is a measurement.
	 * @return the scenarios
	 */
	public List<Scenario> scenarios() {
		return Arrays.stream(Scenario.values())
			.filter((scenario) -> this.measurements.stream().anyMatch((one) -> one.scenario() == scenario))
			.toList();
	}

	/**
	 * Return what was measured in a scenario.
	 * @param scenario the scenario
	 * @return the contenders, in the order of their first measurement
	 */
	public List<String> contenders(Scenario scenario) {
		return this.measurements.stream()
			.filter((one) -> one.scenario() == scenario)
			.map(Measurement::contender)
			.distinct()
			.toList();
	}

	/**
	 * Return the median over all rounds.
	 * @param scenario of which scenario
	 * @param contender of what, as tables call it
	 * @param figure of which figure
	 * @return the median, or nothing when that was not measured
	 */
	public OptionalDouble median(Scenario scenario, String contender, Figure figure) {
		return median(values(this.measurements.stream().filter((one) -> one.contender().equals(contender)).toList(),
				scenario, figure));
	}

	/**
	 * Return the median over all rounds of a figure that is the same for all contenders.
	 * @param scenario of which scenario
	 * @param figure of which figure
	 * @return the median, or nothing when that was not measured
	 */
	public OptionalDouble median(Scenario scenario, Figure figure) {
		return median(values(this.measurements, scenario, figure));
	}

	private static double[] values(List<Measurement> measurements, Scenario scenario, Figure figure) {
		return measurements.stream()
			.filter((one) -> one.scenario() == scenario)
			.map((one) -> one.figures().get(figure))
			.filter(Objects::nonNull)
			.mapToDouble(Double::doubleValue)
			.sorted()
			.toArray();
	}

	private static OptionalDouble median(double... sorted) {
		int middle = sorted.length / 2;
		return (sorted.length % 2 == 1) ? OptionalDouble.of(sorted[middle])
				: DoubleStream.of(sorted).skip(Math.max(0, middle - 1)).limit(2).average();
	}

}
