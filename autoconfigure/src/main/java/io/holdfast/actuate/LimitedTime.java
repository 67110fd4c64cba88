package io.holdfast.actuate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Time in which questions are put to the store, one after the other.
 */
final class LimitedTime {

	/**
	 * About how many things is asked at a time. In a Cluster, each of them may be a
	 * question of its own.
	 */
	private static final int PORTION = 20;

	private final long end;

	private LimitedTime(long end) {
		this.end = end;
	}

	static LimitedTime of(Duration time) {
		return new LimitedTime(System.nanoTime() + TimeUnit.NANOSECONDS.convert(time));
	}

	/**
	 * Ask about things, a few at a time, until the time is over; about the first ones in
	 * any case.
	 * @return the things that were asked about
	 */
	<T> List<T> ask(List<T> things, Consumer<List<T>> question) {
		int asked = 0;
		while (asked < things.size() && (asked == 0 || System.nanoTime() - this.end < 0)) {
			int next = Math.min(asked + PORTION, things.size());
			question.accept(things.subList(asked, next));
			asked = next;
		}
		return things.subList(0, asked);
	}

}
