package io.holdfast.benchmarks.harness;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import io.holdfast.benchmarks.worker.Histograms;
import io.holdfast.benchmarks.worker.Turn;
import io.holdfast.benchmarks.worker.Window;
import org.HdrHistogram.Histogram;

/**
 * What the logs of several workers say about the time in which a lock goes from one to
 * another.
 */
final class HandOvers {

	private HandOvers() {
	}

	/**
	 * Return the times from a release to the next acquisition, of all changes of hands
	 * where the next one was waiting already.
	 * @param logs the turns of each worker
	 * @return the times, in nanoseconds
	 * @throws NotExclusiveException when two had the lock at the same time
	 */
	static Histogram times(List<List<Turn>> logs) {
		List<Owned> turns = IntStream.range(0, logs.size())
			.boxed()
			.flatMap((worker) -> logs.get(worker).stream().map((turn) -> new Owned(worker, turn)))
			.sorted(Comparator.comparingLong((Owned owned) -> owned.turn.acquired()))
			.toList();
		Histogram times = Histograms.create();
		for (int i = 1; i < turns.size(); i++) {
			Turn previous = turns.get(i - 1).turn;
			Turn next = turns.get(i).turn;
			if (next.acquired() - previous.released() < 0) {
				throw new NotExclusiveException("the lock was acquired %d µs before its holder released it"
					.formatted((previous.released() - next.acquired()) / 1000));
			}
			if (turns.get(i).worker != turns.get(i - 1).worker && next.asked() - previous.released() < 0) {
				times.recordValue(next.acquired() - previous.released());
			}
		}
		return times;
	}

	/**
	 * Return for how long the lock was held, whoever held it.
	 * @param logs the turns of each worker
	 * @param window in which time
	 * @return the time in nanoseconds
	 */
	static double timeInside(List<List<Turn>> logs, Window window) {
		return logs.stream()
			.flatMap(List::stream)
			.mapToLong((turn) -> window.overlap(turn.acquired(), turn.released()))
			.sum();
	}

	/**
	 * A turn and whose it was.
	 */
	private record Owned(int worker, Turn turn) {

	}

}
