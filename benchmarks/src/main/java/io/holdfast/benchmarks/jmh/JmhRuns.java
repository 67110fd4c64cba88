package io.holdfast.benchmarks.jmh;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.harness.Failure;
import io.holdfast.benchmarks.harness.Figure;
import io.holdfast.benchmarks.harness.Measurement;
import io.holdfast.benchmarks.harness.RedisServer;
import io.holdfast.benchmarks.harness.Results;
import io.holdfast.benchmarks.harness.Scenario;
import io.holdfast.benchmarks.harness.Settings;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Has JMH measure, and adds what it has measured to the results of the run.
 */
public final class JmhRuns {

	/**
	 * What the template is called, with which annotated methods are compared.
	 */
	public static final String TEMPLATE = "template";

	static final String PORT_PROPERTY = "benchmarks.redis-port";

	/**
	 * What is measured, as JMH calls it and as tables do, in their order.
	 */
	private static final Map<String, String> METHODS = methods();

	private final RedisServer redis;

	private final Settings settings;

	private final List<Contender> contenders;

	private final Path output;

	/**
	 * Prepare to measure.
	 * @param redis what contenders connect to
	 * @param settings how long everything takes
	 * @param contenders what to measure
	 * @param output directory for what JMH has to say meanwhile
	 */
	public JmhRuns(RedisServer redis, Settings settings, List<Contender> contenders, Path output) {
		this.redis = redis;
		this.settings = settings;
		this.contenders = contenders;
		this.output = output;
	}

	private static Map<String, String> methods() {
		Map<String, String> methods = new LinkedHashMap<>();
		methods.put("template", TEMPLATE);
		methods.put("annotatedWithArgument", "annotated, `#id`");
		methods.put("annotatedWithProperty", "annotated, `#order.id`");
		return methods;
	}

	/**
	 * Measure what the annotation costs.
	 * @param scenario with or without Redis
	 * @param results where to add what was measured
	 */
	public void annotation(Scenario scenario, Results results) {
		OptionsBuilder options = new OptionsBuilder();
		options.param("redis", Boolean.toString(scenario == Scenario.ANNOTATION_ON_REDIS));
		METHODS.keySet().forEach((method) -> options.include(AnnotationBenchmark.class.getName() + "." + method + "$"));
		run(scenario, options, results);
	}

	/**
	 * Measure acquire and release of each contender.
	 * @param results where to add what was measured
	 */
	public void singleOperations(Results results) {
		OptionsBuilder options = new OptionsBuilder();
		options.param("contender", this.contenders.stream().map(Enum::name).toArray(String[]::new));
		options.include(SingleOperationBenchmark.class.getName());
		run(Scenario.SINGLE_OPERATION, options, results);
	}

	private void run(Scenario scenario, OptionsBuilder options, Results results) {
		TimeValue iteration = TimeValue.milliseconds(this.settings.jmhIteration().toMillis());
		options.warmupIterations(this.settings.jmhIterations())
			.warmupTime(iteration)
			.measurementIterations(this.settings.jmhIterations())
			.measurementTime(iteration)
			.jvmArgs(jvmArguments())
			.output(this.output.resolve("jmh-%s.log".formatted(scenario.id())).toString());
		try {
			this.output.toFile().mkdirs();
			new Runner(options.build()).run()
				.stream()
				.map((result) -> measurement(scenario, result))
				.sorted(Comparator.comparingInt(JmhRuns::position))
				.forEach(results::add);
		}
		catch (RunnerException ex) {
			results.add(new Failure(scenario, "JMH", 1, String.valueOf(ex.getMessage())));
		}
	}

	private String[] jvmArguments() {
		List<String> arguments = new ArrayList<>(this.settings.jvmOptions());
		arguments.add("-D%s=%d".formatted(PORT_PROPERTY, this.redis.port()));
		return arguments.toArray(String[]::new);
	}

	private static Measurement measurement(Scenario scenario, RunResult result) {
		Result<?> primary = result.getPrimaryResult();
		Map<Figure, Double> figures = new EnumMap<>(Figure.class);
		figures.put(Figure.NANOS_PER_OPERATION, primary.getScore());
		if (!Double.isNaN(primary.getScoreError())) {
			figures.put(Figure.NANOS_ERROR, primary.getScoreError());
		}
		return new Measurement(scenario, label(scenario, result.getParams()), 1, figures);
	}

	private static String label(Scenario scenario, BenchmarkParams params) {
		if (scenario == Scenario.SINGLE_OPERATION) {
			return Contender.valueOf(params.getParam("contender")).label();
		}
		return Objects
			.requireNonNull(METHODS.get(params.getBenchmark().substring(params.getBenchmark().lastIndexOf('.') + 1)));
	}

	/**
	 * JMH returns its results in the order of the alphabet.
	 */
	private static int position(Measurement measurement) {
		List<String> labels = Stream
			.concat(METHODS.values().stream(), Arrays.stream(Contender.values()).map(Contender::label))
			.toList();
		return labels.indexOf(measurement.contender());
	}

}
