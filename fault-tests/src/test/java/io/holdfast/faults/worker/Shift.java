package io.holdfast.faults.worker;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.holdfast.LockTemplate;
import io.holdfast.faults.history.Journal;
import io.holdfast.faults.history.Pause;
import org.jspecify.annotations.Nullable;

/**
 * Has threads work from one rest to the next: one of them in long sections, the others in
 * short ones.
 */
final class Shift {

	/**
	 * How often to look whether this JVM stands still.
	 */
	private static final Duration TICK = Duration.ofMillis(10);

	private final LockTemplate locks;

	private final WorkerSettings settings;

	private final List<Thread> threads = new ArrayList<>();

	private @Nullable ShiftLog log;

	private @Nullable Thread time;

	Shift(LockTemplate locks, WorkerSettings settings) {
		this.locks = locks;
		this.settings = settings;
	}

	void begin(long seed, Path journal) throws IOException {
		ShiftLog begun = new ShiftLog(new Journal(journal));
		this.log = begun;
		for (int i = 0; i < this.settings.threads(); i++) {
			Plans plans = new Plans(new Random(seed + i), this.settings.lease(), !this.settings.independentMasters());
			boolean isLong = i == 0;
			Supplier<Plan> next = isLong ? plans::nextLong : plans::nextShort;
			Thread thread = new Thread(() -> work(next, isLong && this.settings.independentMasters(), begun),
					"work-" + i);
			this.threads.add(thread);
		}
		this.threads.forEach(Thread::start);
		this.time = new Thread(() -> watchTime(begun.journal()), "time");
		this.time.start();
	}

	/**
	 * Write down for how long nothing was done here: whoever is late because of that is
	 * not to blame.
	 */
	private static void watchTime(Journal journal) {
		long last = System.nanoTime();
		while (!Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(TICK.toNanos());
			long now = System.nanoTime();
			if (now - last > Pause.SHORTEST.toNanos()) {
				journal.stoodStill(last, now);
			}
			last = now;
		}
	}

	/**
	 * Carry out one plan after the other.
	 * @param oneAtATime whether to ask for a key only while no other worker asks, until
	 * this one is inside, and to leave out a plan otherwise. All independent masters that
	 * answer grant such a lock; when two workers ask at once, perhaps no more than a
	 * quorum does, and the lock is lost when one of these fails
	 */
	private void work(Supplier<Plan> plans, boolean oneAtATime, ShiftLog log) {
		try (Ledger ledger = new Ledger(this.settings.ledgerPort())) {
			GuardedWork work = new GuardedWork(this.locks, ledger, log);
			while (!log.isOver()) {
				Plan plan = plans.get();
				if (!oneAtATime
						|| ledger.reserve(plan.request().keys().get(0), this.settings.lease().multipliedBy(3))) {
					work.attempt(plan);
					ledger.unreserve();
				}
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
			if (this.time != null) {
				this.time.interrupt();
				join(this.time);
			}
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
