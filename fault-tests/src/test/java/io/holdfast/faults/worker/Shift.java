package io.holdfast.faults.worker;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.faults.history.Journal;
import io.holdfast.faults.history.Outcome;
import io.holdfast.faults.history.Pause;

/**
 * Has threads work from one rest to the next: one of them in long sections, the others in
 * short ones.
 */
class Shift implements Worker.Job {

	private static final int THREADS = 3;

	/**
	 * How often to look whether this JVM stands still.
	 */
	private static final Duration TICK = Duration.ofMillis(10);

	/**
	 * The first time takes longer than all others.
	 */
	private static final Duration LONG_START = Duration.ofMinutes(2);

	private final LockTemplate locks;

	private final Duration lease;

	private final int ledgerPort;

	private final boolean independentMasters;

	private final List<Thread> threads = new ArrayList<>();

	private Log log;

	private Thread time;

	/**
	 * Create a shift.
	 * @param lease how long leases are
	 * @param ledgerPort where the ledger is
	 * @param independentMasters whether locks are on independent masters, none of which
	 * knows of a lock that it has not granted itself
	 */
	Shift(LockTemplate locks, Duration lease, int ledgerPort, boolean independentMasters) {
		this.locks = locks;
		this.lease = lease;
		this.ledgerPort = ledgerPort;
		this.independentMasters = independentMasters;
	}

	@Override
	public void prepare() {
		LockRequest start = LockRequest.of("start");
		this.locks.executeWithoutResult(start.waitFor(LONG_START).lease(LONG_START),
				(lock) -> this.locks.tryAcquire(start.waitFor(Duration.ZERO).ownedByHandle()));
	}

	@Override
	public String follow(String command) throws IOException {
		String[] words = command.split(" ", 3);
		switch (words[0]) {
			case "work" -> {
				begin(Long.parseLong(words[1]), Path.of(words[2]));
				return "working";
			}
			case "rest" -> {
				end();
				return "resting";
			}
			default -> {
				return Long.toString(System.currentTimeMillis());
			}
		}
	}

	private void begin(long seed, Path journal) throws IOException {
		Log begun = new Log(new Journal(journal));
		this.log = begun;
		for (int i = 0; i < THREADS; i++) {
			Plan.Maker plans = new Plan.Maker(new Random(seed + i), this.lease, !this.independentMasters);
			boolean isLong = i == 0;
			Supplier<Plan> next = isLong ? plans::nextLong : plans::nextShort;
			this.threads.add(new Thread(() -> work(next, isLong && this.independentMasters, begun), "work-" + i));
		}
		this.threads.forEach(Thread::start);
		this.time = new Thread(() -> watchTime(begun.journal), "time");
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
	private void work(Supplier<Plan> plans, boolean oneAtATime, Log begun) {
		try (Ledger ledger = new Ledger(this.ledgerPort)) {
			GuardedWork work = new GuardedWork(this.locks, ledger, begun);
			while (!begun.isOver()) {
				Plan plan = plans.get();
				if (!oneAtATime || ledger.reserve(plan.request().keys().get(0), this.lease.multipliedBy(3))) {
					work.attempt(plan);
					ledger.unreserve();
				}
				begun.rest(plan.restAfter());
			}
		}
	}

	/**
	 * Wait until all threads are done, and all that is still to be told has been told.
	 */
	private void end() throws IOException {
		this.log.over.countDown();
		this.threads.forEach(Shift::join);
		this.threads.clear();
		this.time.interrupt();
		join(this.time);
		this.log.close();
	}

	private static void join(Thread thread) {
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * What is written down in one shift, and when that is over.
	 */
	static final class Log {

		private static final Duration TELLING = Duration.ofSeconds(5);

		private final CountDownLatch over = new CountDownLatch(1);

		private final AtomicLong attempts = new AtomicLong();

		private final Set<Long> untold = ConcurrentHashMap.newKeySet();

		private final Set<Long> told = ConcurrentHashMap.newKeySet();

		final Journal journal;

		Log(Journal journal) {
			this.journal = journal;
		}

		long nextId() {
			return this.attempts.incrementAndGet();
		}

		void told(long id) {
			this.journal.told(id);
			this.told.add(id);
			this.untold.remove(id);
		}

		void ended(long id, Outcome outcome, String detail) {
			this.journal.ended(id, outcome, detail);
			if (outcome == Outcome.LOST) {
				this.untold.add(id);
				this.untold.removeAll(this.told);
			}
		}

		boolean isOver() {
			return this.over.getCount() == 0;
		}

		void rest(Duration time) {
			try {
				this.over.await(time.toNanos(), TimeUnit.NANOSECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		/**
		 * Listeners are told on threads of their own: close the journal when all have
		 * been, or when that takes too long.
		 */
		private void close() throws IOException {
			long limit = System.nanoTime() + TELLING.toNanos();
			while (!this.untold.isEmpty() && System.nanoTime() < limit) {
				Thread.yield();
			}
			this.journal.close();
		}

	}

}
