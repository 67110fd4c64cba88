package io.holdfast.faults.history;

import java.time.Duration;

/**
 * A time during which a worker stood still: it was stopped, or its machine was.
 *
 * @param worker the worker
 * @param from when it did something for the last time
 * @param to when it went on
 */
public record Pause(String worker, long from, long to) {

	public static final Duration SHORTEST = Duration.ofMillis(300);

	public long within(long start, long end) {
		return Math.max(0, Math.min(end, this.to) - Math.max(start, this.from));
	}

}
