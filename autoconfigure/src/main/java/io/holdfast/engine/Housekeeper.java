package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Does in the background what no caller should wait for: releases that Redis could not be
 * told of, grants to give back, places in a queue to give up. Has a thread for each
 * server, which ends when there is nothing to do.
 */
final class Housekeeper {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

	private final Lanes lanes;

	Housekeeper(LockStore store) {
		this.lanes = new Lanes(store, "holdfast-housekeeping", 1);
	}

	/**
	 * Run a task about keys once, soon. It handles its own exceptions.
	 */
	void run(List<String> keys, Runnable task) {
		this.lanes.of(keys).execute(task);
	}

	/**
	 * Run a task about keys soon, and again at growing intervals until it says that it is
	 * done. It handles its own exceptions.
	 */
	void repeat(List<String> keys, BooleanSupplier task) {
		ScheduledThreadPoolExecutor lane = this.lanes.of(keys);
		lane.execute(() -> attempt(lane, task, FIRST_PAUSE));
	}

	private static void attempt(ScheduledThreadPoolExecutor lane, BooleanSupplier task, Duration pause) {
		if (!task.getAsBoolean()) {
			Duration longer = pause.multipliedBy(2);
			Duration next = (longer.compareTo(LONGEST_PAUSE) < 0) ? longer : LONGEST_PAUSE;
			lane.schedule(() -> attempt(lane, task, next), pause.toNanos(), TimeUnit.NANOSECONDS);
		}
	}

	/**
	 * Wait until tasks that were to be run by now have been.
	 */
	void awaitDone(Duration atMost) {
		DaemonThreads.awaitDone(this.lanes.all(), atMost);
	}

	/**
	 * Forget all tasks that have not begun.
	 */
	void clear() {
		this.lanes.all().forEach((lane) -> lane.getQueue().clear());
	}

}
