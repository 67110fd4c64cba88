package io.holdfast.benchmarks.harness;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.worker.Workload;

/**
 * Measures the contenders of a scenario in turn, one round after the other, so that a
 * machine that gets slower does so for all.
 */
public final class Rounds {

	private final RedisServer redis;

	private final Settings settings;

	private final List<Contender> contenders;

	private final Consumer<Object> progress;

	/**
	 * Prepare to measure.
	 * @param redis what contenders connect to
	 * @param settings how long everything takes
	 * @param contenders what to measure
	 * @param progress is told of each measurement and failure
	 */
	public Rounds(RedisServer redis, Settings settings, List<Contender> contenders, Consumer<Object> progress) {
		this.redis = redis;
		this.settings = settings;
		this.contenders = contenders;
		this.progress = progress;
	}

	/**
	 * Measure.
	 * @param scenario in which situation
	 * @param rounds how often
	 * @param results where to add what was measured
	 * @throws InterruptedException when interrupted
	 */
	public void run(Scenario scenario, int rounds, Results results) throws InterruptedException {
		Workload workload = Objects.requireNonNull(scenario.workload(), "A scenario for JMH");
		for (int round = 1; round <= rounds; round++) {
			Map<Figure, Double> machine = Map.of(Figure.ROUND_TRIP, this.redis.roundTrip(), Figure.WAKE_UP,
					new WakeUp().median());
			for (Contender contender : this.contenders) {
				if (scenario.suits(contender)) {
					measure(new Trial(this.redis, this.settings, scenario, workload, contender), machine, scenario,
							contender, round, results);
				}
			}
		}
	}

	private void measure(Trial trial, Map<Figure, Double> machine, Scenario scenario, Contender contender, int round,
			Results results) throws InterruptedException {
		try {
			Measurement measurement = trial.run(round).with(machine);
			results.add(measurement);
			this.progress.accept(measurement);
		}
		catch (IOException | RuntimeException ex) {
			Failure failure = new Failure(scenario, contender.label(), round, String.valueOf(ex.getMessage()));
			results.add(failure);
			this.progress.accept(failure);
		}
	}

}
