package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Does in the background what no caller should wait for: releases that Redis could not be
 * told of, grants to give back, places in a queue to give up. Has a thread for each
 * server, which ends when there is nothing to do.
 */
final class Housekeeper {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

	private final EngineRuntime runtime;

	private final Lanes lanes;

	/**
	 * How often all tasks were forgotten: those of before are not run any more.
	 */
	private final AtomicInteger clearings = new AtomicInteger();

	Housekeeper(LockStore store, EngineRuntime runtime) {
		this.runtime = runtime;
		this.lanes = new Lanes(store, runtime, "holdfast-housekeeping", 1);
	}

	/**
	 * Run a task about keys once, soon. It handles its own exceptions.
	 */
	void run(List<String> keys, Runnable task) {
		this.lanes.of(keys).execute(unlessCleared(task));
	}

	/**
	 * Run a task about keys soon, and again at growing intervals until it says that it is
	 * done. It handles its own exceptions.
	 */
	void repeat(List<String> keys, BooleanSupplier task) {
		ScheduledExecutorService lane = this.lanes.of(keys);
		lane.execute(unlessCleared(() -> attempt(lane, task, FIRST_PAUSE)));
	}

	private void attempt(ScheduledExecutorService lane, BooleanSupplier task, Duration pause) {
		if (!task.getAsBoolean()) {
			Duration longer = pause.multipliedBy(2);
			Duration next = (longer.compareTo(LONGEST_PAUSE) < 0) ? longer : LONGEST_PAUSE;
			lane.schedule(unlessCleared(() -> attempt(lane, task, next)), pause.toNanos(), TimeUnit.NANOSECONDS);
		}
	}

	private Runnable unlessCleared(Runnable task) {
		int before = this.clearings.get();
		return () -> {
			if (this.clearings.get() == before) {
				task.run();
			}
		};
	}

	/**
	 * Wait until tasks that were to be run by now have been.
	 */
	void awaitDone(Duration atMost) {
		Tally underWay = new Tally(this.runtime);
		this.lanes.all().forEach((lane) -> {
			underWay.begin();
			lane.execute(underWay::end);
		});
		underWay.awaitNone(atMost);
	}

	/**
	 * Forget all tasks that have not begun.
	 */
	void clear() {
		this.clearings.incrementAndGet();
	}

}
