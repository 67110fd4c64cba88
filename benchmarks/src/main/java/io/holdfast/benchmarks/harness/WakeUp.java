package io.holdfast.benchmarks.harness;

import java.util.concurrent.locks.LockSupport;

import io.holdfast.benchmarks.worker.Histograms;
import org.HdrHistogram.Histogram;

/**
 * What it takes on this machine to wake a parked thread: no lock is handed to a waiting
 * thread in less time.
 */
final class WakeUp {

	private static final int TIMES = 2000;

	private final Thread asking = Thread.currentThread();

	private volatile long asked;

	private volatile long answered;

	/**
	 * Return the median time from waking a parked thread until it runs, in microseconds.
	 */
	double median() {
		Thread answering = new Thread(this::answer, "wake-up");
		answering.setDaemon(true);
		answering.start();
		measure(answering);
		return Micros.of(measure(answering).getValueAtPercentile(50)) / 2;
	}

	/**
	 * There and back, since both threads are parked when they are woken.
	 */
	private Histogram measure(Thread answering) {
		Histogram times = Histograms.create();
		for (int i = 0; i < TIMES; i++) {
			long start = System.nanoTime();
			this.asked++;
			LockSupport.unpark(answering);
			while (this.answered != this.asked) {
				LockSupport.park(this);
			}
			times.recordValue(System.nanoTime() - start);
		}
		return times;
	}

	private void answer() {
		while (this.answered < 2 * TIMES) {
			while (this.asked == this.answered) {
				LockSupport.park(this);
			}
			this.answered++;
			LockSupport.unpark(this.asking);
		}
	}

}
