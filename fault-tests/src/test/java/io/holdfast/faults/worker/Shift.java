package io.holdfast.faults.worker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

import io.holdfast.LockTemplate;
import io.holdfast.faults.history.Journal;
import org.jspecify.annotations.Nullable;

/**
 * Has threads work from one rest to the next: one of them in long sections, the others in
 * short ones.
 */
final class Shift {

	private final LockTemplate locks;

	private final WorkerSettings settings;

	private final List<Thread> threads = new ArrayList<>();

	private @Nullable ShiftLog log;

	Shift(LockTemplate locks, WorkerSettings settings) {
		this.locks = locks;
		this.settings = settings;
	}

	void begin(long seed, Path journal) throws IOException {
		ShiftLog begun = new ShiftLog(new Journal(journal));
		this.log = begun;
		for (int i = 0; i < this.settings.threads(); i++) {
			Plans plans = new Plans(new Random(seed + i), this.settings.lease());
			Supplier<Plan> next = (i == 0) ? plans::nextLong : plans::nextShort;
			Thread thread = new Thread(() -> work(next, begun), "work-" + i);
			this.threads.add(thread);
			thread.start();
		}
	}

	private void work(Supplier<Plan> plans, ShiftLog log) {
		try (Ledger ledger = new Ledger(this.settings.ledgerPort())) {
			GuardedWork work = new GuardedWork(this.locks, ledger, log);
			while (!log.isOver()) {
				Plan plan = plans.get();
				work.attempt(plan);
				log.rest(plan.restAfter());
			}
		}
	}

	/**
	 * Wait until all threads are done, and all that is still to be told has been told.
	 */
	void end() throws IOException {
		if (this.log != null) {
			this.log.end();
			for (Thread thread : this.threads) {
				join(thread);
			}
			this.threads.clear();
			this.log.close();
			this.log = null;
		}
	}

	private static void join(Thread thread) {
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
