package io.holdfast.faults.history;

/**
 * A time during which a worker stood still.
 *
 * @param worker the worker
 * @param from when it was stopped
 * @param to when it went on
 */
public record Pause(String worker, long from, long to) {

	/**
	 * Return how much of the pause lies between two times.
	 */
	public long within(long start, long end) {
		return Math.max(0, Math.min(end, this.to) - Math.max(start, this.from));
	}

}
