package io.holdfast.benchmarks.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The time in which all workers measure, as {@link System#nanoTime()} has it. On Linux
 * that is the same clock for all JVMs of a machine.
 *
 * @param start when warming up is over
 * @param end when measuring is over
 */
public record Window(long start, long end) {

	/**
	 * Return a window that starts when so much time has passed.
	 * @param warmUp time until it starts
	 * @param length its length
	 * @return the window
	 */
	public static Window after(Duration warmUp, Duration length) {
		long start = System.nanoTime() + warmUp.toNanos();
		return new Window(start, start + length.toNanos());
	}

	static Window parse(String line) {
		String[] parts = line.split(" ");
		return new Window(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
	}

	/**
	 * Return how long it is, in seconds.
	 * @return the length
	 */
	public double seconds() {
		return nanos() / 1e9;
	}

	/**
	 * Return its length in nanoseconds.
	 * @return the length
	 */
	public long nanos() {
		return this.end - this.start;
	}

	/**
	 * Return for how long something lasted in it.
	 * @param from when that began
	 * @param to when that ended
	 * @return the time in nanoseconds
	 */
	public long overlap(long from, long to) {
		long begin = Math.max(0, from - this.start);
		long stop = Math.min(nanos(), to - this.start);
		return Math.max(0, stop - begin);
	}

	/**
	 * Return whether it is over.
	 * @return whether it is
	 */
	public boolean isOver() {
		return System.nanoTime() - this.end >= 0;
	}

	/**
	 * Return whether a time is in it.
	 * @param time a time
	 * @return whether it is
	 */
	public boolean contains(long time) {
		return time - this.start >= 0 && time - this.end < 0;
	}

	/**
	 * Return whether a time is in it or after it.
	 * @param time a time
	 * @return whether it is
	 */
	public boolean hasBegunBy(long time) {
		return time - this.start >= 0;
	}

	/**
	 * Wait for the start.
	 * @throws InterruptedException when interrupted
	 */
	public void awaitStart() throws InterruptedException {
		sleepUntil(this.start);
	}

	/**
	 * Wait for the end.
	 * @throws InterruptedException when interrupted
	 */
	public void awaitEnd() throws InterruptedException {
		sleepUntil(this.end);
	}

	private static void sleepUntil(long time) throws InterruptedException {
		TimeUnit.NANOSECONDS.sleep(time - System.nanoTime());
	}

	@Override
	public String toString() {
		return this.start + " " + this.end;
	}

}
