package io.holdfast.faults.worker;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.holdfast.LockHandle;
import io.holdfast.LockLostException;
import io.holdfast.LockMode;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockRequest;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.faults.history.Journal;
import io.holdfast.faults.history.Outcome;

/**
 * Works under locks, and writes it down.
 */
final class GuardedWork {

	private final LockTemplate locks;

	private final Ledger ledger;

	private final Shift.Log log;

	private final Journal journal;

	GuardedWork(LockTemplate locks, Ledger ledger, Shift.Log log) {
		this.locks = locks;
		this.ledger = ledger;
		this.log = log;
		this.journal = log.journal;
	}

	void attempt(Plan plan) {
		long id = this.log.nextId();
		LockRequest request = plan.request();
		this.journal.asked(id, request.lockKeys(), request.mode(), request.waitFor());
		try {
			this.log.ended(id, outcome(id, plan), "");
		}
		catch (Throwable ex) {
			Throwable failure = (ex instanceof CompletionException && ex.getCause() != null) ? ex.getCause() : ex;
			Outcome outcome = outcome(failure);
			this.log.ended(id, outcome, (outcome == Outcome.FAILED) ? trace(failure) : "");
		}
	}

	private static Outcome outcome(Throwable failure) {
		if (failure instanceof LockNotAcquiredException) {
			return Outcome.NOT_ACQUIRED;
		}
		if (failure instanceof LockUnavailableException) {
			return Outcome.UNAVAILABLE;
		}
		return (failure instanceof LockLostException) ? Outcome.LOST : Outcome.FAILED;
	}

	private static String trace(Throwable failure) {
		StringBuilder trace = new StringBuilder(failure.toString());
		for (StackTraceElement element : failure.getStackTrace()) {
			trace.append(" <- ").append(element);
		}
		return trace.toString();
	}

	private Outcome outcome(long id, Plan plan) {
		return switch (plan.way()) {
			case ACQUIRE -> acquire(id, plan);
			case EXECUTE -> this.locks.execute(plan.request(), (lock) -> section(id, plan, lock));
			case EXECUTE_ASYNC -> this.locks
				.executeAsync(plan.request(), (lock) -> CompletableFuture.completedFuture(section(id, plan, lock)))
				.join();
		};
	}

	private Outcome acquire(long id, Plan plan) {
		LockHandle lock = this.locks.acquire(plan.request());
		try {
			section(id, plan, lock);
		}
		catch (Throwable ex) {
			lock.close();
			throw ex;
		}
		return outcome(lock.release());
	}

	private static Outcome outcome(ReleaseResult result) {
		return switch (result) {
			case RELEASED -> Outcome.RELEASED;
			case PENDING -> Outcome.PENDING;
			case LOST -> Outcome.LOST;
			case STILL_HELD -> Outcome.FAILED;
		};
	}

	private Outcome section(long id, Plan plan, LockHandle lock) {
		long entered = System.nanoTime();
		this.journal.entered(id, entered, tokens(lock));
		this.ledger.unreserve();
		lock.onLost((lost) -> this.log.told(id));
		Stay stay = new Stay(lock);
		if (lock.mode() == LockMode.SHARED) {
			stay.last(plan.work());
		}
		else {
			countUp(id, plan, lock, stay);
		}
		stay.look();
		this.journal.left(id, stay.heldUntil);
		return Outcome.DONE;
	}

	private void countUp(long id, Plan plan, LockHandle lock, Stay stay) {
		Map<String, Long> counts = new LinkedHashMap<>();
		lock.keys().forEach((key) -> counts.put(key, this.ledger.read(key, lock.fencingToken(key))));
		stay.last(plan.work());
		counts.forEach((key, count) -> {
			boolean accepted = count != Ledger.REFUSED && this.ledger.write(key, lock.fencingToken(key), count + 1);
			this.journal.wrote(id, key, count + 1, accepted);
		});
	}

	private static Map<String, Long> tokens(LockHandle lock) {
		Map<String, Long> tokens = new LinkedHashMap<>();
		lock.keys().forEach((key) -> tokens.put(key, lock.fencingToken(key)));
		return tokens;
	}

	/**
	 * A stay in a guarded section, which goes on whatever happens to the lock: the worst
	 * that a user may do.
	 */
	private final class Stay {

		private static final Duration STEP = Duration.ofMillis(2);

		private final LockHandle lock;

		private long heldUntil = Long.MIN_VALUE;

		Stay(LockHandle lock) {
			this.lock = lock;
		}

		void last(Duration time) {
			long end = System.nanoTime() + time.toNanos();
			while (System.nanoTime() < end && !GuardedWork.this.log.isOver()) {
				look();
				GuardedWork.this.log.rest(STEP);
			}
		}

		/**
		 * Look whether the lock is held. What counts is the time before, since the answer
		 * may take long.
		 */
		void look() {
			long now = System.nanoTime();
			if (this.lock.isHeld()) {
				this.heldUntil = now;
			}
		}

	}

}
