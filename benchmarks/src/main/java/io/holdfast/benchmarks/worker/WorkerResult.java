package io.holdfast.benchmarks.worker;

import java.util.List;

import org.HdrHistogram.Histogram;

/**
 * What a worker has measured.
 *
 * @param operations operations that were finished in the window
 * @param allOperations all operations, those of the warm-up and after the window as well
 * @param cpuNanos CPU time of the JVM in the window
 * @param latencies times in nanoseconds
 * @param turns log of the turns, where the workload keeps one
 */
public record WorkerResult(long operations, long allOperations, long cpuNanos, Histogram latencies, List<Turn> turns) {

	private static final String SEPARATOR = " ";

	/**
	 * Read what {@link #toLine()} has written.
	 * @param line the line
	 * @return the result
	 */
	public static WorkerResult parse(String line) {
		String[] parts = line.split(SEPARATOR, -1);
		return new WorkerResult(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]),
				Histograms.decode(parts[3]), Turn.decode(parts[4]));
	}

	/**
	 * Write as a single line.
	 * @return the line
	 */
	public String toLine() {
		return String.join(SEPARATOR, Long.toString(this.operations), Long.toString(this.allOperations),
				Long.toString(this.cpuNanos), Histograms.encode(this.latencies), Turn.encode(this.turns));
	}

}
