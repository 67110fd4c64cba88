package io.holdfast.benchmarks;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The time in which all workers measure, as {@link System#nanoTime()} has it. On Linux
 * that is the same clock for all JVMs of a machine.
 *
 * @param start when warming up is over
 * @param end when measuring is over
 */
record Window(long start, long end) {

	static Window after(Duration warmUp, Duration length) {
		long start = System.nanoTime() + warmUp.toNanos();
		return new Window(start, start + length.toNanos());
	}

	static Window parse(String line) {
		String[] parts = line.split(" ");
		return new Window(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
	}

	double seconds() {
		return (this.end - this.start) / 1e9;
	}

	long overlap(long from, long to) {
		return Math.max(0, Math.min(this.end - this.start, to - this.start) - Math.max(0, from - this.start));
	}

	boolean isOver() {
		return System.nanoTime() - this.end >= 0;
	}

	boolean contains(long time) {
		return hasBegunBy(time) && time - this.end < 0;
	}

	boolean hasBegunBy(long time) {
		return time - this.start >= 0;
	}

	void awaitStart() throws InterruptedException {
		TimeUnit.NANOSECONDS.sleep(this.start - System.nanoTime());
	}

	void awaitEnd() throws InterruptedException {
		TimeUnit.NANOSECONDS.sleep(this.end - System.nanoTime());
	}

	@Override
	public String toString() {
		return this.start + " " + this.end;
	}

}
