package io.holdfast.benchmarks.harness;

import java.time.Duration;
import java.util.List;

/**
 * How long everything takes.
 *
 * @param warmUp time before a window opens
 * @param measure length of a window
 * @param measureHeld length of the window in which many locks are held
 * @param heldKeys how many locks that is
 * @param jmhIteration length of an iteration of JMH
 * @param jmhIterations how many iterations of JMH there are, for warming up and for
 * measuring
 * @param jvmOptions options of all JVMs in which something is measured
 */
public record Settings(Duration warmUp, Duration measure, Duration measureHeld, int heldKeys, Duration jmhIteration,
		int jmhIterations, List<String> jvmOptions) {

	private static final List<String> JVM_OPTIONS = List.of("-Xms512m", "-Xmx512m", "-XX:+UseParallelGC");

	/**
	 * Settings of a run whose figures mean something.
	 */
	public static final Settings FULL = new Settings(Duration.ofMillis(2500), Duration.ofSeconds(4),
			Duration.ofSeconds(60), 10_000, Duration.ofSeconds(1), 4, JVM_OPTIONS);

	/**
	 * Settings of a run that shows the rough picture.
	 */
	public static final Settings QUICK = new Settings(Duration.ofMillis(800), Duration.ofSeconds(1),
			Duration.ofSeconds(11), 10_000, Duration.ofMillis(500), 2, JVM_OPTIONS);

	/**
	 * Return a copy with other times.
	 * @param warmUp time before a window opens
	 * @param measure length of a window
	 * @return the copy
	 */
	public Settings with(Duration warmUp, Duration measure) {
		return new Settings(warmUp, measure, this.measureHeld, this.heldKeys, this.jmhIteration, this.jmhIterations,
				this.jvmOptions);
	}

}
