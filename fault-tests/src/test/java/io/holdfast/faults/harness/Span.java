package io.holdfast.faults.harness;

import java.time.Duration;
import java.util.Random;

/**
 * Times for which something lasts.
 */
public final class Span {

	private Span() {
	}

	/**
	 * Let time pass: for as long as a fault is to last, not to wait for something.
	 */
	public static void last(Duration time) {
		try {
			Thread.sleep(time.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return a time between two.
	 */
	public static Duration between(Random random, Duration from, Duration to) {
		return Duration.ofMillis(from.toMillis() + random.nextInt((int) (to.toMillis() - from.toMillis() + 1)));
	}

}
