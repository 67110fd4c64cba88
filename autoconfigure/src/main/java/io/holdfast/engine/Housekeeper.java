package io.holdfast.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.holdfast.engine.runtime.Background;
import io.holdfast.engine.runtime.Repetition;
import io.holdfast.engine.runtime.Tally;
import io.holdfast.engine.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * Does in the background what no caller should wait for: releases that Redis could not be
 * told of, grants to give back, places in a queue to give up. Has a thread for each
 * server, which ends when there is nothing to do.
 */
final class Housekeeper {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

	private final Background background;

	private final Lanes lanes;

	/**
	 * How often all tasks were forgotten: those of before are not run any more.
	 */
	private final AtomicInteger clearings = new AtomicInteger();

	Housekeeper(LockStore store, Background background) {
		this.background = background;
		this.lanes = new Lanes(store, background, "holdfast-housekeeping", 1);
	}

	/**
	 * Run a task about keys once, soon. It handles its own exceptions.
	 */
	void run(List<String> keys, Runnable task) {
		int before = this.clearings.get();
		this.lanes.of(keys).execute(() -> {
			if (this.clearings.get() == before) {
				task.run();
			}
		});
	}

	/**
	 * Run a task about keys soon, and again at growing intervals until it says that it is
	 * done. If it throws, it is run again as well.
	 */
	void repeat(List<String> keys, BooleanSupplier task) {
		Supplier<@Nullable Duration> attempts = new Attempts(task);
		new Repetition(this.background, this.lanes.of(keys), Background.RETRY, attempts).begin();
	}

	/**
	 * Wait until tasks that were to be run by now have been.
	 */
	void awaitDone(Duration atMost) {
		Tally underWay = new Tally(this.background.runtime());
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

	private final class Attempts implements Supplier<@Nullable Duration> {

		private final int before = Housekeeper.this.clearings.get();

		private final BooleanSupplier task;

		private Duration pause = FIRST_PAUSE;

		private Attempts(BooleanSupplier task) {
			this.task = task;
		}

		@Override
		public @Nullable Duration get() {
			if (Housekeeper.this.clearings.get() != this.before || this.task.getAsBoolean()) {
				return null;
			}
			Duration present = this.pause;
			Duration longer = present.multipliedBy(2);
			this.pause = (longer.compareTo(LONGEST_PAUSE) < 0) ? longer : LONGEST_PAUSE;
			return present;
		}

	}

}
