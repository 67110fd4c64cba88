package io.holdfast.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.holdfast.benchmarks.contender.Contender;
import io.holdfast.benchmarks.harness.Scenario;
import io.holdfast.benchmarks.harness.Settings;
import org.jspecify.annotations.Nullable;

/**
 * What to run.
 *
 * @param redisPort port of a Redis to use, or 0 to start one
 * @param rounds how often to measure each contender in each scenario
 * @param scenarios in which situations
 * @param contenders what to measure
 * @param settings how long everything takes
 * @param awake whether to keep the processors from falling asleep
 * @param output directory for all that comes out
 * @param docs directory to copy that to, or {@code null}
 */
record Options(int redisPort, int rounds, List<Scenario> scenarios, List<Contender> contenders, Settings settings,
		boolean awake, Path output, @Nullable Path docs) {

	private static final int ROUNDS = 3;

	private static final Path OUTPUT = Path.of("target", "benchmarks");

	/**
	 * Read the arguments of the command.
	 * @throws IllegalArgumentException when one cannot be understood
	 */
	static Options parse(int redisPort, String... arguments) {
		Options options = new Options(redisPort, ROUNDS, List.of(Scenario.values()), List.of(Contender.values()),
				Settings.FULL, false, OUTPUT, null);
		for (String argument : arguments) {
			options = options.with(argument);
		}
		return options;
	}

	private Options with(String argument) {
		String value = argument.substring(argument.indexOf('=') + 1);
		return switch (argument.contains("=") ? argument.substring(0, argument.indexOf('=')) : argument) {
			case "--quick" -> new Options(this.redisPort, 1, this.scenarios, this.contenders, Settings.QUICK,
					this.awake, this.output, this.docs);
			case "--rounds" -> new Options(this.redisPort, Integer.parseInt(value), this.scenarios, this.contenders,
					this.settings, this.awake, this.output, this.docs);
			case "--scenarios" -> new Options(this.redisPort, this.rounds, list(value, Scenario::of), this.contenders,
					this.settings, this.awake, this.output, this.docs);
			case "--contenders" -> new Options(this.redisPort, this.rounds, this.scenarios, list(value, Contender::of),
					this.settings, this.awake, this.output, this.docs);
			case "--warmup" -> with(this.settings.with(seconds(value), this.settings.measure()));
			case "--measure" -> with(this.settings.with(this.settings.warmUp(), seconds(value)));
			case "--awake" -> new Options(this.redisPort, this.rounds, this.scenarios, this.contenders, this.settings,
					true, this.output, this.docs);
			case "--output" -> new Options(this.redisPort, this.rounds, this.scenarios, this.contenders, this.settings,
					this.awake, Path.of(value), this.docs);
			case "--docs" -> new Options(this.redisPort, this.rounds, this.scenarios, this.contenders, this.settings,
					this.awake, this.output, Path.of(value));
			default -> throw new IllegalArgumentException(
					"No option '%s', there are: --quick, --rounds=3, ".formatted(argument)
							+ "--scenarios=a1,…, --contenders=bare,…, --warmup=<seconds>, "
							+ "--measure=<seconds>, --awake, --output=<directory>, --docs=<directory>");
		};
	}

	/**
	 * Return a copy with other times.
	 */
	Options with(Settings settings) {
		return new Options(this.redisPort, this.rounds, this.scenarios, this.contenders, settings, this.awake,
				this.output, this.docs);
	}

	/**
	 * In the order of the tables, whatever the order on the command line.
	 */
	private static <T extends Comparable<T>> List<T> list(String value, Function<String, T> read) {
		return Stream.of(value.split(",")).map(String::strip).map(read).distinct().sorted().toList();
	}

	private static Duration seconds(String value) {
		return Duration.ofMillis(Math.round(1000 * Double.parseDouble(value)));
	}

}
