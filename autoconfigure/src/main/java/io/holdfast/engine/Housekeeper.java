package io.holdfast.engine;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Does in the background what no caller should wait for: releases that Redis could not be
 * told of, grants to give back, places in a queue to give up. Its thread ends when there
 * is nothing to do.
 */
final class Housekeeper {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

	private final ScheduledThreadPoolExecutor executor;

	Housekeeper() {
		this.executor = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("holdfast-housekeeping"));
		this.executor.setKeepAliveTime(DaemonThreads.IDLE_SECONDS, TimeUnit.SECONDS);
		this.executor.allowCoreThreadTimeOut(true);
	}

	/**
	 * Run a task once, soon. It handles its own exceptions.
	 */
	void run(Runnable task) {
		this.executor.execute(task);
	}

	/**
	 * Run a task soon, and again at growing intervals until it says that it is done. It
	 * handles its own exceptions.
	 */
	void repeat(BooleanSupplier task) {
		this.executor.execute(() -> attempt(task, FIRST_PAUSE));
	}

	private void attempt(BooleanSupplier task, Duration pause) {
		if (!task.getAsBoolean()) {
			Duration longer = pause.multipliedBy(2);
			Duration next = (longer.compareTo(LONGEST_PAUSE) < 0) ? longer : LONGEST_PAUSE;
			this.executor.schedule(() -> attempt(task, next), pause.toNanos(), TimeUnit.NANOSECONDS);
		}
	}

	/**
	 * Wait until tasks that were to be run by now have been.
	 */
	void awaitDone(Duration atMost) {
		DaemonThreads.awaitDone(this.executor, atMost);
	}

	/**
	 * Forget all tasks that have not begun.
	 */
	void clear() {
		this.executor.getQueue().clear();
	}

}
