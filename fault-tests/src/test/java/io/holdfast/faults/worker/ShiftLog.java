package io.holdfast.faults.worker;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.faults.history.Journal;
import io.holdfast.faults.history.Outcome;

/**
 * What is written down in one shift, and when that is over.
 */
final class ShiftLog implements AutoCloseable {

	private static final Duration TELLING = Duration.ofSeconds(5);

	private final CountDownLatch over = new CountDownLatch(1);

	private final AtomicLong attempts = new AtomicLong();

	private final Set<Long> untold = ConcurrentHashMap.newKeySet();

	private final Set<Long> told = ConcurrentHashMap.newKeySet();

	private final Journal journal;

	ShiftLog(Journal journal) {
		this.journal = journal;
	}

	Journal journal() {
		return this.journal;
	}

	long nextId() {
		return this.attempts.incrementAndGet();
	}

	/**
	 * The listener of an attempt was told a loss.
	 */
	void told(long id) {
		this.journal.told(id);
		this.told.add(id);
		this.untold.remove(id);
	}

	/**
	 * An attempt is back at its caller.
	 */
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

	/**
	 * Do nothing for a time, or until the shift is over.
	 */
	void rest(Duration time) {
		try {
			this.over.await(time.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	void end() {
		this.over.countDown();
	}

	/**
	 * Listeners are told on threads of their own: close the journal when all have been,
	 * or when that takes too long.
	 */
	@Override
	public void close() throws IOException {
		long limit = System.nanoTime() + TELLING.toNanos();
		while (!this.untold.isEmpty() && System.nanoTime() < limit) {
			Thread.yield();
		}
		this.journal.close();
	}

}
