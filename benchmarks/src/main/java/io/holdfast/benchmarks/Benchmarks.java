package io.holdfast.benchmarks;

import java.io.IOException;
import java.util.List;

import io.holdfast.benchmarks.harness.AwakeCpus;
import io.holdfast.benchmarks.harness.Failure;
import io.holdfast.benchmarks.harness.Measurement;
import io.holdfast.benchmarks.harness.RedisServer;
import io.holdfast.benchmarks.harness.Results;
import io.holdfast.benchmarks.harness.Rounds;
import io.holdfast.benchmarks.harness.Scenario;
import io.holdfast.benchmarks.harness.Settings;
import io.holdfast.benchmarks.jmh.JmhRuns;
import io.holdfast.benchmarks.report.Machine;
import io.holdfast.benchmarks.report.Report;

/**
 * The command: runs all contenders in all scenarios, prints the tables, and writes them
 * down with the raw results and charts.
 */
public final class Benchmarks {

	private final Options options;

	private final Results results = new Results();

	private Benchmarks(Options options) {
		this.options = options;
	}

	/**
	 * Run the benchmarks. Ends with 1 when something could not be measured or a lock did
	 * not exclude.
	 * @param arguments see {@code docs/benchmarks.md}
	 * @throws Exception when Redis cannot be used or the report cannot be written
	 */
	public static void main(String[] arguments) throws Exception {
		List<Failure> failures = run(Options.parse(Integer.getInteger("redis.port", 0), arguments));
		failures.forEach((failure) -> System.err.println("FAILED " + failure));
		System.exit(failures.isEmpty() ? 0 : 1);
	}

	/**
	 * Run the benchmarks.
	 * @return what went wrong
	 */
	static List<Failure> run(Options options) throws IOException, InterruptedException {
		Benchmarks benchmarks = new Benchmarks(options);
		try (RedisServer redis = RedisServer.open(options.redisPort())) {
			if (options.awake()) {
				benchmarks.measureAwake(redis);
			}
			else {
				benchmarks.measure(redis);
			}
			benchmarks.report(Machine.find(redis.version()));
		}
		return benchmarks.results.failures();
	}

	@SuppressWarnings("try")
	private void measureAwake(RedisServer redis) throws IOException, InterruptedException {
		try (AwakeCpus awake = new AwakeCpus()) {
			measure(redis);
		}
	}

	private void measure(RedisServer redis) throws InterruptedException {
		Rounds rounds = new Rounds(redis, this.options.settings(), this.options.contenders(), Benchmarks::tell);
		JmhRuns jmh = new JmhRuns(redis, this.options.settings(), this.options.contenders(), this.options.output());
		for (Scenario scenario : this.options.scenarios()) {
			System.out.println("== " + scenario.title());
			switch (scenario) {
				case ANNOTATION, ANNOTATION_ON_REDIS -> jmh.annotation(scenario, this.results);
				case SINGLE_OPERATION -> jmh.singleOperations(this.results);
				// Takes half a minute a contender, and what it counts does not vary
				case HELD -> rounds.run(scenario, 1, this.results);
				default -> rounds.run(scenario, this.options.rounds(), this.results);
			}
		}
	}

	private static void tell(Object result) {
		System.out.println((result instanceof Measurement measurement)
				? "%s, round %d: %,.1f %s".formatted(measurement.contender(), measurement.round(),
						measurement.figures().getOrDefault(measurement.scenario().mainFigure(), Double.NaN),
						measurement.scenario().mainFigure().header())
				: "FAILED " + result);
	}

	private void report(Machine machine) throws IOException {
		Report report = new Report(this.results, machine, conditions());
		System.out.println(report.write(this.options.output()));
		if (this.options.docs() != null) {
			report.write(this.options.docs());
		}
	}

	private String conditions() {
		Settings settings = this.options.settings();
		return "%.1f s after %.1f s of warming up, rounds: %d, JVMs with `%s`%s".formatted(
				settings.measure().toMillis() / 1000.0, settings.warmUp().toMillis() / 1000.0, this.options.rounds(),
				String.join(" ", settings.jvmOptions()), this.options.awake() ? ", processors kept awake" : "");
	}

}
