package io.holdfast.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * What became of all buyers of a crowd.
 *
 * @param visits those who got into the shop and out again
 * @param failures why the others did not
 */
record Turnout(List<Crowd.Visit> visits, List<Throwable> failures) {

	static Turnout of(List<Future<Crowd.Visit>> finished) throws InterruptedException {
		List<Crowd.Visit> visits = new ArrayList<>();
		List<Throwable> failures = new ArrayList<>();
		for (Future<Crowd.Visit> visit : finished) {
			try {
				visits.add(visit.get());
			}
			catch (ExecutionException ex) {
				failures.add((ex.getCause() != null) ? ex.getCause() : ex);
			}
		}
		return new Turnout(visits, failures);
	}

	int bought() {
		return (int) this.visits.stream().filter(Crowd.Visit::bought).count();
	}

	/**
	 * Return how long those who got in had waited, in nanoseconds.
	 */
	long[] waits() {
		return this.visits.stream().mapToLong(Crowd.Visit::waited).toArray();
	}

}
